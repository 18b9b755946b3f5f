// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "logitkit/constrain/grammar.hpp"
#include "logitkit/constrain/stack_sets.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

struct MaskEntry;

/// A set of places in the grammar where a text may be, with the stacks that it may have there. Kept once per set,
/// filled lazily, never changed after it was published: what readers find in an atomic is complete.
struct State {
  struct Config {
    std::uint32_t node;
    StackSets::Id stacks;
    friend bool operator==(const Config&, const Config&) = default;
  };
  // targets of the byte classes from first_class on: 0 = not computed yet, else a State* with the CountOp in the lower
  // two bits
  std::atomic<std::uintptr_t>* row = nullptr;
  std::uint32_t first_class = 0, num_classes = 0;
  std::uint32_t limit = kNoLimit;  // holds while at most so many characters of the string have been read
  std::uint32_t spread = 0;        // so far below `limit` a token may meet another limit of the same strings
  bool counted = false;            // depends on that number at all
  bool accepting = false;
  bool has_tokens = false;  // a token terminal starts here
  std::span<const Config> configs;
  std::atomic<State*> wider{nullptr};  // the same places, past `limit`
  std::atomic<MaskEntry*> masks{nullptr};
  std::uint64_t hash = 0;
  State* hash_next = nullptr;
};

/// Where a text stands: the state, and the characters read of the string that it is in (0 where that does not matter).
struct Place {
  State* state = nullptr;
  std::uint32_t count = 0;
};

/// A lazily built deterministic automaton over the states of a grammar: one table read per byte once a transition is
/// known, however many alternatives are alive. Reading needs no lock; what is new is computed under a mutex. Holds
/// masks too (token_mask.hpp).
class StateTable {
 public:
  explicit StateTable(const Grammar& grammar) : grammar_(grammar), buckets_(256) {
    dead_ = new_state({}, false, kNoLimit, false);
    std::lock_guard lock(mutex_);
    seed(grammar_.start, stacks_.bottom());
    start_ = settle();
  }
  StateTable(const StateTable&) = delete;
  StateTable& operator=(const StateTable&) = delete;

  Place start() const { return {start_, 0}; }
  Place dead() const { return {dead_, 0}; }
  bool is_dead(Place place) const { return place.state == dead_; }
  const Grammar& grammar() const { return grammar_; }

  Place step(Place place, std::uint8_t byte) { return step_class(place, grammar_.byte_class[byte]); }

  Place step_class(Place place, std::uint32_t byte_class) {
    const State& state = *place.state;
    const std::uint32_t column = byte_class - state.first_class;
    if (column >= state.num_classes) return {dead_, 0};
    std::uintptr_t entry = state.row[column].load(std::memory_order_acquire);
    if (entry == 0) entry = compute(*place.state, column);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the operation is kept in the low bits of an aligned pointer
    auto* to = reinterpret_cast<State*>(entry & ~kFlags);
    if ((entry & kCounted) == 0) return {to, 0};
    const auto op = static_cast<CountOp>(entry & kOp);
    return settle_count({to, op == CountOp::keep ? place.count : op == CountOp::tick ? place.count + 1 : 0});
  }

  /// Where the token terminals of a grammar lead, united with `by_bytes` (where the token's bytes lead; may be dead).
  Place step_token(Place place, TokenId id, bool ordinary, Place by_bytes) {
    std::lock_guard lock(mutex_);
    begin_set();
    for (const State::Config& config : by_bytes.state->configs) seed(config.node, config.stacks);
    accepting_ = by_bytes.state->accepting;
    for (const State::Config& config : place.state->configs)
      for (const Edge& edge : edges_of(config.node)) {
        const bool same = edge.arg == static_cast<std::uint32_t>(id);
        if ((edge.kind == Edge::Kind::token && same) || (edge.kind == Edge::Kind::other_token && !same && ordinary))
          seed(edge.to, config.stacks);
      }
    return settle_count({settle(), by_bytes.count});
  }

  /// The same place in a fresh table: what `other` knows of it is copied.
  Place import(StateTable& other, Place place) {
    if (other.is_dead(place)) return {dead_, 0};
    std::scoped_lock lock(mutex_, other.mutex_);
    const std::size_t before = bytes();
    std::vector<StackSets::Id> roots;
    for (const State::Config& config : place.state->configs) roots.push_back(config.stacks);
    const auto renamed = stacks_.copy_from(other.stacks_, roots);
    std::vector<State::Config> configs;
    for (const State::Config& config : place.state->configs)
      configs.push_back({config.node, renamed.at(config.stacks)});
    State* state = intern(configs, place.state->accepting, place.state->limit, place.state->counted);
    stack_bytes_.store(stacks_.bytes(), std::memory_order_relaxed);
    imported_.store(imported_.load(std::memory_order_relaxed) + bytes() - before, std::memory_order_relaxed);
    return {state, place.count};
  }

  /// Some set of states grew past what is kept; the text that led there counts as refused.
  bool too_ambiguous() const { return too_ambiguous_.load(std::memory_order_relaxed); }

  std::mutex& mutex() { return mutex_; }
  /// Memory from the table, given back with it. Under the mutex.
  void* allocate(std::size_t size) {
    size = (size + 15) & ~std::size_t{15};
    bytes_.store(bytes_.load(std::memory_order_relaxed) + size, std::memory_order_relaxed);
    if (size > kChunk / 4) return chunks_.emplace_back(new std::byte[size]).get();
    if (size > free_) {
      chunks_.emplace_back(new std::byte[kChunk]);
      next_ = chunks_.back().get();
      free_ = kChunk;
    }
    std::byte* place = next_;
    next_ += size;
    free_ -= size;
    return place;
  }
  std::size_t bytes() const {
    return bytes_.load(std::memory_order_relaxed) + stack_bytes_.load(std::memory_order_relaxed);
  }

  /// More than `limit` beyond what running matchers brought along; a deep document must not start the table afresh at
  /// every token.
  bool is_full(std::size_t limit) const { return bytes() > limit + 2 * imported_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::size_t kChunk = 1 << 14;
  // lower bits of a row's entry: states lie on multiples of 16
  static constexpr std::uintptr_t kOp = 3, kCounted = 4, kFlags = 15;

  std::span<const Edge> edges_of(std::uint32_t node) const {
    const Node& n = grammar_.nodes[node];
    return {grammar_.edges.data() + n.first_edge, n.last_edge - n.first_edge};
  }

  Place settle_count(Place place) {
    if (!place.state->counted) return {place.state, 0};
    while (place.count > place.state->limit) {
      State* wider = place.state->wider.load(std::memory_order_acquire);
      place.state = wider != nullptr ? wider : widen(*place.state);
    }
    return place.state->counted ? place : Place{place.state, 0};
  }

  LOGITKIT_NOINLINE std::uintptr_t compute(State& state, std::uint32_t column) {
    std::lock_guard lock(mutex_);
    const std::uintptr_t known = state.row[column].load(std::memory_order_relaxed);
    if (known != 0) return known;
    const std::uint8_t byte = grammar_.class_byte[state.first_class + column];
    begin_set();
    CountOp op = CountOp::keep;
    for (const State::Config& config : state.configs)
      for (const Edge& edge : edges_of(config.node)) {
        if (edge.kind != Edge::Kind::bytes || byte < edge.lo || byte > edge.hi) continue;
        if (edge.op == CountOp::close && grammar_.nodes[config.node].min_count > state.limit) continue;
        if (edge.op == CountOp::tick || edge.op == CountOp::reset) op = edge.op;
        seed(edge.to, config.stacks);
      }
    State* to = settle();
    const std::uintptr_t entry =
        reinterpret_cast<std::uintptr_t>(to) | static_cast<std::uintptr_t>(op) | (to->counted ? kCounted : 0);
    state.row[column].store(entry, std::memory_order_release);
    return entry;
  }

  LOGITKIT_NOINLINE State* widen(State& state) {
    std::lock_guard lock(mutex_);
    if (State* known = state.wider.load(std::memory_order_relaxed)) return known;
    std::vector<State::Config> configs;
    for (const State::Config& config : state.configs)
      if (grammar_.nodes[config.node].max_count > state.limit) configs.push_back(config);
    State* wider = configs.empty() ? dead_ : intern(configs, state.accepting, next_limit(configs, state.limit), true);
    state.wider.store(wider, std::memory_order_release);
    return wider;
  }

  // counts at which something changes: past max_count a place is dead, from min_count on a string may close
  std::uint32_t next_limit(std::span<const State::Config> configs, std::uint32_t after) const {
    std::uint32_t limit = kNoLimit;
    for (const State::Config& config : configs) {
      const Node& node = grammar_.nodes[config.node];
      if (node.max_count > after || after == kNoLimit) limit = std::min(limit, node.max_count);
      if (node.min_count > 0 && (node.min_count - 1 > after || after == kNoLimit))
        limit = std::min(limit, node.min_count - 1);
    }
    return limit;
  }

  // ---- the set that is being built: nodes with their stacks, closed over empty edges, calls and returns ----

  void begin_set() {
    accepting_ = false;
    if (stacks_of_.empty()) stacks_of_.resize(grammar_.nodes.size());
  }
  void seed(std::uint32_t node, StackSets::Id stacks) {
    if (stacks_of_.empty()) stacks_of_.resize(grammar_.nodes.size());
    StackSets::Id& known = stacks_of_[node];
    const StackSets::Id both = stacks_.unite(known, stacks);
    if (both == known) return;
    if (known == 0) touched_.push_back(node);
    known = both;
    work_.push_back(node);
  }

  State* settle() {
    while (!work_.empty()) {
      const std::uint32_t node = work_.back();
      work_.pop_back();
      const StackSets::Id stacks = stacks_of_[node];
      if (grammar_.nodes[node].end)
        for (std::size_t i = 0; i < stacks_[stacks].size(); ++i) {
          const StackSets::Entry entry = stacks_[stacks][i];
          if (entry.node == StackSets::kDone)
            accepting_ = true;
          else
            seed(entry.node, entry.below);
        }
      for (const Edge& edge : edges_of(node)) {
        if (edge.kind == Edge::Kind::empty) seed(edge.to, stacks);
        if (edge.kind == Edge::Kind::call)
          seed(edge.arg, returns_only(edge.to) ? stacks : stacks_.push(edge.to, stacks));
      }
    }
    std::sort(touched_.begin(), touched_.end());
    std::vector<State::Config> configs;
    for (std::uint32_t node : touched_) {
      const StackSets::Id stacks = std::exchange(stacks_of_[node], 0);
      for (const Edge& edge : edges_of(node))
        if (edge.kind == Edge::Kind::bytes || edge.kind == Edge::Kind::token || edge.kind == Edge::Kind::other_token) {
          configs.push_back({node, stacks});
          break;
        }
    }
    touched_.clear();
    stack_bytes_.store(stacks_.bytes(), std::memory_order_relaxed);
    if (stacks_.take_overflow() || configs.size() > StackSets::kMaxSize) {
      too_ambiguous_.store(true, std::memory_order_relaxed);
      return dead_;
    }
    if (configs.empty() && !accepting_) return dead_;
    const std::uint32_t limit = next_limit(configs, kNoLimit);
    const bool counted = limit != kNoLimit;
    return intern(configs, accepting_, limit, counted);
  }
  // a call whose return node only returns needs no stack of its own: recursion at the end of a rule runs in constant
  // space
  bool returns_only(std::uint32_t node) const {
    const Node& n = grammar_.nodes[node];
    return n.end && n.first_edge == n.last_edge;
  }

  State* intern(std::span<const State::Config> configs, bool accepting, std::uint32_t limit, bool counted) {
    std::uint64_t hash = mix_hash(limit, (accepting ? 1u : 0u) | (counted ? 2u : 0u));
    for (const State::Config& config : configs) hash = mix_hash(hash, std::uint64_t{config.node} << 32 | config.stacks);
    for (State* s = buckets_[hash & (buckets_.size() - 1)]; s != nullptr; s = s->hash_next)
      if (s->limit == limit && s->accepting == accepting && s->counted == counted &&
          std::equal(s->configs.begin(), s->configs.end(), configs.begin(), configs.end()))
        return s;
    State* state = new_state(configs, accepting, limit, counted);
    if (++num_states_ > buckets_.size()) rehash();
    state->hash = hash;
    link(state);
    return state;
  }

  void link(State* state) { state->hash_next = std::exchange(buckets_[state->hash & (buckets_.size() - 1)], state); }
  void rehash() {
    const std::vector<State*> old = std::exchange(buckets_, std::vector<State*>(buckets_.size() * 2));
    for (State* s : old)
      while (s != nullptr) link(std::exchange(s, s->hash_next));
  }

  State* new_state(std::span<const State::Config> configs, bool accepting, std::uint32_t limit, bool counted) {
    auto* state = new (allocate(sizeof(State))) State;
    auto* copy = static_cast<State::Config*>(allocate(configs.size_bytes()));
    std::copy(configs.begin(), configs.end(), copy);
    state->configs = {copy, configs.size()};
    state->accepting = accepting;
    state->limit = limit;
    state->counted = counted;
    std::uint32_t low = 256, high = 0;
    for (const State::Config& config : configs) {
      const std::uint32_t least = grammar_.nodes[config.node].least_max;
      if (limit != kNoLimit && least < limit) state->spread = std::max(state->spread, limit - least);
      for (const Edge& edge : edges_of(config.node)) {
        state->has_tokens |= edge.kind == Edge::Kind::token || edge.kind == Edge::Kind::other_token;
        if (edge.kind != Edge::Kind::bytes) continue;
        low = std::min<std::uint32_t>(low, grammar_.byte_class[edge.lo]);
        high = std::max<std::uint32_t>(high, grammar_.byte_class[edge.hi] + 1u);
      }
    }
    if (low < high) {
      state->first_class = low;
      state->num_classes = high - low;
      state->row = static_cast<std::atomic<std::uintptr_t>*>(allocate(state->num_classes * sizeof(std::uintptr_t)));
      for (std::uint32_t i = 0; i < state->num_classes; ++i) new (state->row + i) std::atomic<std::uintptr_t>(0);
    }
    return state;
  }

  const Grammar& grammar_;
  std::mutex mutex_;
  StackSets stacks_;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::byte* next_ = nullptr;
  std::size_t free_ = 0;
  std::atomic<std::size_t> bytes_{0}, stack_bytes_{0}, imported_{0};
  std::vector<State*> buckets_;
  State *dead_ = nullptr, *start_ = nullptr;
  std::size_t num_states_ = 0;
  std::atomic<bool> too_ambiguous_{false};

  std::vector<StackSets::Id> stacks_of_;
  std::vector<std::uint32_t> touched_, work_;
  bool accepting_ = false;
};

}  // namespace detail

LOGITKIT_NAMESPACE_END
