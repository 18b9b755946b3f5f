// SPDX-License-Identifier: MIT
// Compile/<schema> and Mask/<schema>/<cold|warm>: the 42 real-world schemas over Qwen3's vocabulary, with the token
// streams of their documents; Mask/all/... over all of them. Needs the recorded data of LOGITKIT_DATA; without it there
// is nothing to time.
//
// Times are per call, in microseconds, as counters: the smallest of five passes for each position, so that a preempted
// call does not count as a slow mask. Cold: a constraint that was just compiled. Warm: the same documents again.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "harness.hpp"
#include "logitkit/constrain/token_bytes.hpp"
#include "logitkit/json_schema.hpp"

namespace {

namespace lk = logitkit;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr int kPasses = 5;

struct Schema {
  std::string name, text;
  std::vector<std::vector<lk::TokenId>> documents;
};

struct Data {
  std::vector<std::string> tokens;
  lk::VocabularyOptions options;
  std::vector<Schema> schemas;
};

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Data load(const std::string& folder) {
  Data data;
  const Json special = Json::parse(read(folder + "/qwen3_special_tokens.json"));
  data.tokens = lk::tokens_from_base64_lines(read(folder + "/qwen3_vocab.b64.txt"));
  data.options.size = special["model_vocab_size"];
  data.options.end_ids = special["eos_token_ids"].get<std::vector<lk::TokenId>>();
  for (const Json& each : special["special_tokens"]) data.options.special_ids.push_back(each["id"]);
  const Json schemas = Json::parse(read(folder + "/realworld_schemas.json"));
  const Json streams = Json::parse(read(folder + "/qwen3_token_streams.json"));
  for (const Json& each : schemas["schemas"]) {
    Schema schema{each["id"], each["schema"].dump(), {}};
    for (const Json& stream : streams["streams"])
      if (stream["name"].get<std::string>().starts_with("realworld:" + schema.name + ":"))
        schema.documents.push_back(stream["ids"]);
    data.schemas.push_back(std::move(schema));
  }
  return data;
}

template <class Work>
double microseconds(const Work& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

struct Times {
  std::vector<double> masks, accepts;
  std::size_t memory = 0;
};

// One pass over the documents of a schema; `into` keeps the smallest time of each position.
void pass(const Schema& schema, const lk::Constraint& constraint, Times& into) {
  std::vector<std::int32_t> mask(constraint.vocabulary().mask_words());
  std::size_t position = 0, accepted = 0;
  const auto keep = [](std::vector<double>& list, std::size_t at, double time) {
    if (list.size() <= at) list.resize(at + 1, 1e9);
    list[at] = std::min(list[at], time);
  };
  for (const auto& document : schema.documents) {
    lk::Matcher matcher = constraint.matcher();
    for (std::size_t i = 0; i <= document.size(); ++i, ++position) {
      keep(into.masks, position, microseconds([&] { matcher.fill(mask); }));
      if (i < document.size()) keep(into.accepts, accepted++, microseconds([&] { matcher.accept(document[i]); }));
    }
  }
  into.memory = std::max(into.memory, constraint.memory());
}

Times measure(const lk::Vocabulary& vocabulary, const Schema& schema, bool cold) {
  // the indented documents need a few blanks in a row
  const lk::SchemaOptions options{.whitespace = lk::Whitespace::flexible(20)};
  Times times, first;
  lk::Constraint constraint = lk::compile_json_schema(vocabulary, schema.text, options);
  if (!cold) pass(schema, constraint, first);
  for (int i = 0; i < kPasses; ++i) {
    if (cold && i > 0) constraint = lk::compile_json_schema(vocabulary, schema.text, options);
    pass(schema, constraint, times);
  }
  return times;
}

void report(benchmark::State& state, std::vector<double> times, const std::string& what) {
  if (times.empty()) return;
  std::sort(times.begin(), times.end());
  double sum = 0;
  for (double each : times) sum += each;
  const auto at = [&](double share) {
    return times[std::min(times.size() - 1, static_cast<std::size_t>(share * static_cast<double>(times.size())))];
  };
  state.counters[what + "_mean_us"] = sum / static_cast<double>(times.size());
  state.counters[what + "_p50_us"] = at(0.5);
  state.counters[what + "_p99_us"] = at(0.99);
  state.counters[what + "_max_us"] = times.back();
}

double compile_time(const lk::Vocabulary& vocabulary, const std::string& schema) {
  double best = 1e9;
  for (int i = 0; i < kPasses; ++i)
    best = std::min(best, microseconds([&] { benchmark::DoNotOptimize(lk::compile_json_schema(vocabulary, schema)); }));
  return best;
}

void register_once(const std::string& name, const std::function<void(benchmark::State&)>& run) {
  benchmark::RegisterBenchmark(name.c_str(), [run](benchmark::State& state) {
    for (auto _ : state) run(state);
  })->Iterations(1);
}

}  // namespace

void bench::add_constraint() {
  const char* folder = std::getenv("LOGITKIT_DATA");
  if (folder == nullptr) return;
  const auto data = std::make_shared<const Data>(load(folder));
  const lk::Vocabulary vocabulary(data->tokens, data->options);

  register_once("Vocabulary/qwen3", [data](benchmark::State& state) {
    double best = 1e9;
    for (int i = 0; i < kPasses; ++i)
      best = std::min(best, microseconds([&] { lk::Vocabulary again(data->tokens, data->options); }));
    state.counters["setup_ms"] = best / 1000;
  });
  for (const Schema& schema : data->schemas)
    register_once("Compile/" + schema.name, [=](benchmark::State& state) {
      state.counters["compile_us"] = compile_time(vocabulary, schema.text);
    });
  for (const char* most : {"5", "80", "1000", "100000"})
    register_once(std::string("Compile/max_length_") + most, [=](benchmark::State& state) {
      state.counters["compile_us"] =
          compile_time(vocabulary, std::string(R"({"type":"string","maxLength":)") + most + "}");
    });
  register_once("Compile/all", [=](benchmark::State& state) {
    std::vector<double> times;
    for (const Schema& schema : data->schemas) times.push_back(compile_time(vocabulary, schema.text));
    report(state, times, "compile");
  });
  for (const bool cold : {true, false}) {
    const std::string pass_name = cold ? "/cold" : "/warm";
    for (const Schema& schema : data->schemas)
      register_once("Mask/" + schema.name + pass_name,
                    [=](benchmark::State& state) { report(state, measure(vocabulary, schema, cold).masks, "mask"); });
    register_once("Mask/all" + pass_name, [=](benchmark::State& state) {
      Times all;
      for (const Schema& schema : data->schemas) {
        const Times each = measure(vocabulary, schema, cold);
        all.masks.insert(all.masks.end(), each.masks.begin(), each.masks.end());
        all.accepts.insert(all.accepts.end(), each.accepts.begin(), each.accepts.end());
        all.memory = std::max(all.memory, each.memory);
      }
      report(state, all.masks, "mask");
      report(state, all.accepts, "accept");
      state.counters["memory_bytes"] = static_cast<double>(all.memory);
    });
  }
}
