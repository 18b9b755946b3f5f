// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>

namespace examples {

/// Little stories about a harbour town, its kitchens and its weather, one a line, written for this project. The
/// example language model is trained on nothing else.
inline constexpr std::string_view kCorpus =
    R"(Before sunrise the harbour is quiet. The boats rest side by side, and the water is as dark as ink. Then a lamp is lit in the bakery, and the smell of warm bread drifts down to the quay. The first gull wakes up and complains about the cold.
The old fisherman mends his net on the quay every morning. He says that the net remembers every fish it has lost. The children laugh, but they sit down beside him and listen. When the wind turns, he looks at the sky and puts his needle away.
The baker opens the door before the sun comes up. She bakes dark bread for the sailors and sweet rolls for the children. On market day she puts a little honey in the dough. By noon the shelves are empty, and she sweeps the flour from the floor.
A good soup begins with an onion and a slow fire. Cut the onion very thin and let it turn gold in butter. Then add the potatoes, a cup of cream and a little salt. Stir it now and then, and do not hurry.
The lighthouse stands on the last rock of the bay. Its keeper has a cat, a kettle and a shelf of books about the stars. At night he climbs the stairs and counts the ships on the horizon. In the morning he writes the weather in a small blue book.
Fog came in from the sea and covered the town like a blanket. The streets were empty, and the bell of the church sounded far away. A dog barked at its own shadow. By noon the sun had burned a hole in the fog, and the roofs began to shine.
On market day the square is full of voices. There are baskets of apples, jars of honey and fish that still smell of the sea. A woman sells cheese from the hills and gives the children a slice. The cat under the table waits for a fish to fall.
It rained for three days and three nights. The river rose to the second step of the bridge. On the fourth day the clouds opened, and the children ran out to sail paper boats down the street. The baker said that the rain had been good for her garden.
The cook on the ferry makes the best fish soup in the bay. He puts in mussels, a little wine and a leaf from his window garden. The captain eats two bowls and says nothing, which is his way to praise it. When the sea is rough, the soup is served in cups.
In winter the boats are pulled up on the beach. The sailors paint them blue, white and green and drink hot tea from tin cups. Snow falls on the nets and on the sleeping gulls. In the evening the whole town smells of smoke and ginger cake.
The wind changed in the night and blew from the north. In the morning there was ice on the ropes and frost on the windows. The fisherman put on two coats and went down to look after his boat. The cat stayed by the stove and kept one eye open.
My grandmother made bread without a recipe. She felt the dough with her hands and listened to the crust when it came out of the oven. If it sang, the bread was good. She gave the first slice to the hungry and the last slice to the birds.
The ferry crosses the bay six times a day. In summer it carries bicycles, dogs and boxes of strawberries. In winter it carries the post and a few quiet people with books. The captain knows every rock under the water and greets them by name.
A small boat came back late, after the moon had risen. The whole town stood on the quay with lamps and listened for the oars. Then a voice sang across the dark water, and the children began to wave. That night there was hot soup for everyone.
Take the apples from the tree by the garden wall. Cut them into thin slices and lay them in a dish with butter and honey. Bake them until the kitchen smells of autumn. Serve them warm with a cup of cream.
The storm came faster than the radio had said. The waves climbed over the wall and carried a bench down the street. The keeper kept the light burning all night. In the morning the sea was calm, and it looked as if nothing had happened.
There is a shop by the bridge that sells only rope and tea. Its owner can tie a knot for every day of the year. He says that tea is a kind of rope, because it holds people together. Nobody in the town has ever said that he is wrong.
In spring the hills behind the town turn green. The bees come out, and the gardens smell of rain and mint. The old women put their chairs in the sun and tell stories about the winter. Even the fisherman sings when he paints his boat.
The children found a bottle on the beach. There was a letter in it, but the ink had run. They took it to the keeper of the lighthouse, who held it up to the lamp. He said that it was a recipe for fish soup, and so they cooked it.
For a good breakfast you need fresh bread, butter and time. Put the kettle on the stove and open the window. Listen to the boats in the harbour and the bell of the church. Then eat slowly, and leave a few crumbs for the birds.
A painter came to the town to paint the sea. Every day he mixed blue and green and grey, and every evening he was not content. At last he painted the baker with flour on her hands. It is the best picture of the sea that he ever made.
The clock in the square is always ten minutes late. The captain says that it gives people time to run for the ferry. Once a man came from the city and set it right. The next day half the town missed the boat, and the clock was left alone.
The summer was dry, and the well in the square was nearly empty. Then one night the thunder rolled over the hills. People opened their windows and put out bowls, pots and buckets. In the morning the gardens were green, and every kitchen was full of water.
The cat of the lighthouse likes fish, warm stones and the sound of rain. She does not like the horn of the ferry. When the fog comes in, she sits on the last step and looks at the sea. The keeper says that she counts the waves.
When the tide is low, you can walk to the island. The sand is cold and full of small shells, and the sky lies in the pools. Take bread and cheese with you and look at the clock. The sea comes back faster than you think.
The cook keeps a pot of beans on the stove all day. He adds a bone, a carrot and whatever the garden gives. When somebody comes in from the cold, there is always a bowl for them. Nobody asks for the recipe, because it is never the same.
After the harvest there is a feast in the square. The tables are long, and there is bread, cheese, plum cake and new wine. The fisherman plays an old song, and the baker dances with the captain. When the lamps are put out, the stars seem very near.
The night was clear, and the sea was as smooth as glass. The keeper counted the stars and drank his tea. Far away a ship passed with all its lamps lit. He wrote in his blue book that the world was still there.
Snow came early that year and stayed until spring. The harbour froze, and the children walked between the boats. The baker made soup for the whole street in her biggest pot. It was a cold winter, but nobody was hungry.
A letter came for the fisherman with a stamp from the south. His sister wrote that the oranges were ripe and the nights were warm. He read it twice and put it in the pocket of his coat. The next week a box of oranges came with the ferry.
)";

}  // namespace examples
