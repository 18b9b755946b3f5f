// SPDX-License-Identifier: MIT
// The library from the command line: which token, why, and what another engine makes of the same row.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <logitkit/json.hpp>
#include <logitkit/json/compare_html.hpp>
#include <logitkit/json/trace_html.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/row_file.hpp"
#include "common/token_texts.hpp"

namespace lk = logitkit;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kHelp = R"(logitkit_cli COMMAND --row FILE [options]: from logits to a token, and why

commands
  pick       picks a token from every row (or from --index)
  trace      one row: what every step does, what was masked by which rule, where the uniform fell
  compare    one row through several specs: survivors, distances, and why they differ
  sweep      one row: survivors and entropy over a range of a parameter
  check      prints the spec and what is doubtful about it; needs no row

row
  --row FILE          .npy (float32 or float16, 1-D or 2-D, C order), else raw little-endian float32
  --width N           logits per row of a raw file
  --index I           the row to take, from 0 [trace, compare, sweep: 0]
  --tokens FILE       texts of the tokens, one a line; line 0 is id 0
  --base64            the lines of --tokens are base64

what to run (compare and sweep take several; without any: huggingface, vllm and llama_cpp)
  --preset NAME       huggingface, vllm, llama_cpp, openai, sglang or ollama, with its own defaults (huggingface:
                      do_sample is true)
  --set KEY=VALUE     a parameter of the presets by the engine's own name; VALUE is JSON
  --config FILE       a model's generation_config.json, for Hugging Face
  --spec FILE         a spec as JSON: [{"type":"top_k","k":20},{"type":"multinomial"}]

request
  --prompt IDS        token ids, as 1,2,3     --output IDS   those already chosen
  --seed N [0]        --stream N [0]          --end IDS      ids that end the text

sweep
  --key NAME          a preset's parameter, or TYPE.KEY of a spec's step: temperature, min_p, top_p.p
  --values LIST       0.1,0.5,1     or   --range FROM:TO:COUNT

output
  --json              JSON on standard output in place of text
  --html FILE         a page with drawings (trace, compare, sweep)
  --help              this text

  logitkit_cli trace --row logits.npy --preset vllm --set temperature=0.7 --set top_p=0.9 --seed 42 --html why.html
  logitkit_cli sweep --row rows.bin --width 72547 --index 3 --key temperature --range 0.1:2:20
)";

/// What the user should change.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

template <class T>
T number(const std::string& option, std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size())
    throw UsageError(option + " is \"" + std::string(text) + "\", needed is a number such as 1");
  return value;
}

template <class T>
std::vector<T> numbers(const std::string& option, std::string_view text) {
  std::vector<T> list;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    list.push_back(number<T>(option, text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return list;
}

/// The options by name; those that take no value have an empty one.
class Options {
 public:
  Options(int argc, char** argv) {
    const std::string_view known =
        " --row --width --index --tokens --preset --set --config --spec --prompt --output --seed --stream --end --key "
        "--values --range --html ";
    for (int i = 2; i < argc; ++i) {
      const std::string option = argv[i];
      if (option == "--base64" || option == "--json") {
        values_[option].emplace_back();
        continue;
      }
      if (known.find(" " + option + " ") == known.npos)
        throw UsageError("unknown option \"" + option + "\"; --help lists them");
      if (i + 1 == argc) throw UsageError(option + " needs a value");
      values_[option].emplace_back(argv[++i]);
    }
  }
  bool has(const std::string& option) const { return values_.contains(option); }
  std::vector<std::string> all(const std::string& option) const {
    return has(option) ? values_.at(option) : std::vector<std::string>{};
  }
  std::string text(const std::string& option, const std::string& otherwise = "") const {
    return has(option) ? values_.at(option).back() : otherwise;
  }
  template <class T>
  T get(const std::string& option, T otherwise) const {
    return has(option) ? number<T>(option, text(option)) : otherwise;
  }

 private:
  std::map<std::string, std::vector<std::string>> values_;
};

/// Runs f, and says which file it was about where that fails.
template <class F>
auto about(const std::string& path, F f) {
  try {
    return f();
  } catch (const UsageError&) {
    throw;
  } catch (const std::exception& error) {
    const std::string what = error.what();
    throw UsageError(what.find(path) == what.npos ? path + ": " + what : what);
  }
}

Json read_json(const std::string& path) {
  return about(path, [&] { return Json::parse(examples::read_file(path)); });
}

/// Something to run: a spec whose parameters may still be changed.
struct Source {
  std::string name;
  Json parameters;  // of the preset; null for a spec
  lk::Spec spec;    // where there are none

  lk::Decoding decoding() const {
    if (parameters.is_null()) {
      lk::Decoding decoding;
      decoding.spec = spec;
      return decoding;
    }
    if (name == "vllm") return lk::presets::vllm_json(parameters);
    if (name == "llama_cpp") return lk::presets::llama_cpp_json(parameters);
    if (name == "openai") return lk::presets::openai_json(parameters);
    if (name == "sglang") return lk::presets::sglang_json(parameters);
    if (name == "ollama") return lk::presets::ollama_json(parameters);
    return lk::presets::huggingface_json(parameters);
  }
  bool knows(const std::string& key) const {
    const auto notes = decoding().notes;
    return std::none_of(notes.begin(), notes.end(),
                        [&](const lk::Diagnostic& note) { return note.code == "unknown_field" && note.key == key; });
  }
  lk::Spec with(const std::string& key, double value) const {
    Source changed = *this;
    changed.parameters[key] =
        value == static_cast<double>(static_cast<long>(value)) ? Json(static_cast<long>(value)) : Json(value);
    if (!changed.knows(key)) throw UsageError("--key is \"" + key + "\", " + name + " has no such parameter");
    return changed.decoding().spec;
  }
};

std::vector<Source> sources(const Options& options, bool several) {
  Json sets = Json::object();
  for (const std::string& set : options.all("--set")) {
    const std::size_t equals = set.find('=');
    if (equals == set.npos) throw UsageError("--set is \"" + set + "\", needed is KEY=VALUE, for example top_p=0.9");
    const Json value = Json::parse(set.substr(equals + 1), nullptr, false);
    if (value.is_discarded()) throw UsageError("--set " + set + ": what follows = is not JSON; texts need \"quotes\"");
    sets[set.substr(0, equals)] = value;
  }
  std::vector<std::string> presets = options.all("--preset");
  if (presets.empty() && !options.has("--config") && !options.has("--spec")) {
    if (!several) throw UsageError("nothing to run; give --preset, --config or --spec");
    presets = {"huggingface", "vllm", "llama_cpp"};
  }
  std::vector<Source> list;
  for (const std::string& preset : presets) {
    if (std::string_view(" huggingface vllm llama_cpp openai sglang ollama ").find(" " + preset + " ") ==
        std::string_view::npos)
      throw UsageError("--preset is \"" + preset + "\"; --help lists those there are");
    Json parameters = Json::object();
    if (preset == "huggingface") parameters["do_sample"] = true;
    parameters.update(sets);
    list.push_back({preset, parameters, {}});
  }
  for (const std::string& path : options.all("--config")) {
    Json parameters = read_json(path);
    if (!parameters.is_object()) throw UsageError(path + ": it is no JSON object");
    parameters.update(sets);
    list.push_back({"huggingface", parameters, {}});
  }
  for (const std::string& path : options.all("--spec"))
    list.push_back({path, nullptr, about(path, [&] { return lk::spec_from_json(read_json(path)); })});
  for (const auto& [key, value] : sets.items())
    if (std::none_of(list.begin(), list.end(),
                     [&key = key](const Source& source) { return !source.parameters.is_null() && source.knows(key); }))
      throw UsageError("--set " + key + ": nothing that runs has such a parameter");
  if (!several && list.size() > 1)
    throw UsageError("this command runs one spec, given are " + std::to_string(list.size()));
  return list;
}

class Program {
 public:
  Program(const std::string& command, const Options& options) : command_(command), options_(options) {}

  int run() {
    const bool several = command_ == "compare" || command_ == "sweep";
    sources_ = sources(options_, several || command_ == "check");
    if (command_ == "check") return check();
    read_row();
    if (options_.has("--tokens")) read_tokens();
    if (command_ == "pick") return pick();
    if (command_ == "trace") return report(lk::trace(lk::build(decoding().spec), row(), request(), trace_options()));
    if (command_ == "compare") return compare();
    return sweep();
  }

 private:
  lk::Decoding decoding() const { return sources_.front().decoding(); }
  std::size_t index() const { return options_.get<std::size_t>("--index", 0); }
  lk::LogitsView row() const { return rows_[index()]; }

  void read_row() {
    const std::string path = options_.text("--row");
    if (path.empty()) throw UsageError("--row is missing; --help tells which files it takes");
    rows_ = about(
        path, [&] { return examples::parse_rows(examples::read_file(path), options_.get<std::size_t>("--width", 0)); });
    if (index() >= rows_.rows)
      throw UsageError("--index is " + std::to_string(index()) + ", " + path + " has rows 0 to " +
                       std::to_string(rows_.rows - 1));
  }
  void read_tokens() {
    const std::string path = options_.text("--tokens");
    texts_ = about(path, [&] {
      const std::vector<char> bytes = examples::read_file(path);
      return examples::parse_token_texts({bytes.data(), bytes.size()}, options_.has("--base64"));
    });
  }
  std::string text(lk::TokenId id) const {
    return static_cast<std::size_t>(id) < texts_.size() ? texts_[static_cast<std::size_t>(id)] : "";
  }
  lk::TraceOptions trace_options() const {
    return {.text = [this](lk::TokenId id) { return text(id); }};
  }
  lk::Request request() const {
    const auto prompt = numbers<lk::TokenId>("--prompt", options_.text("--prompt"));
    lk::RequestOptions how{.seed = options_.get<std::uint64_t>("--seed", 0),
                           .stream = options_.get<std::uint64_t>("--stream", 0),
                           .end_ids = numbers<lk::TokenId>("--end", options_.text("--end"))};
    lk::Request request(std::span<const lk::TokenId>(prompt), how);
    for (const lk::TokenId id : numbers<lk::TokenId>("--output", options_.text("--output"))) request.accept(id);
    return request;
  }

  int check() const {
    bool has_error = false;
    for (const Source& source : sources_) {
      const lk::Decoding decoding = source.decoding();
      const auto found = lk::check(decoding.spec);
      if (options_.has("--json")) {
        std::puts(Json{{"name", source.name},
                       {"spec", lk::to_json(decoding.spec)},
                       {"check", lk::to_json(found)},
                       {"notes", lk::to_json(decoding.notes)}}
                      .dump(2)
                      .c_str());
      } else {
        std::printf("%s\n%s", source.name.c_str(), lk::describe(decoding.spec).c_str());
        for (const auto& list : {decoding.notes, found})
          for (const lk::Diagnostic& d : list)
            std::printf("%s: %s\n", std::string(lk::name(d.severity)).c_str(), d.text().c_str());
      }
      for (const lk::Diagnostic& d : found) has_error |= d.severity == lk::Severity::error;
    }
    return has_error ? 1 : 0;
  }

  int pick() const {
    const lk::Pipeline pipeline = lk::build(decoding().spec);
    const lk::Request request = this->request();
    const bool one = options_.has("--index"), shows_progress = isatty(2) != 0 && rows_.rows >= 1000;
    bool failed = false;
    for (std::size_t i = one ? index() : 0; i < (one ? index() + 1 : rows_.rows); ++i) {
      const lk::Pick pick = pipeline.pick(rows_[i], request, {.logprob = true});
      failed |= !pick;
      if (options_.has("--json"))
        std::puts(lk::to_json(pick).dump().c_str());
      else if (pick)
        std::printf("row %zu: token %d %s logprob %.4f, rank %zu of %zu\n", i, pick.token, text(pick.token).c_str(),
                    static_cast<double>(pick.logprob), pick.rank, pick.survivors);
      else
        std::printf("row %zu: %s\n", i, pick.message().c_str());
      if (shows_progress && i % 100 == 0) std::fprintf(stderr, "\r%zu of %zu rows", i, rows_.rows);
    }
    if (shows_progress) std::fputs("\r\033[K", stderr);
    return failed ? 1 : 0;
  }

  int compare() const {
    std::vector<lk::NamedSpec> specs;
    for (const Source& source : sources_) specs.push_back({source.name, source.decoding().spec});
    return report(lk::compare(specs, row(), request(), trace_options()));
  }

  int sweep() const {
    const std::string key = options_.text("--key");
    if (key.empty()) throw UsageError("--key is missing, for example --key temperature");
    lk::Sweep all{key, {}};
    for (const Source& source : sources_) {
      if (isatty(2) != 0) std::fprintf(stderr, "\r\033[K%s", source.name.c_str());
      lk::Sweep one = source.parameters.is_null()
                          ? lk::sweep(source.spec, key, values(), row(), request())
                          : lk::sweep({{source.name, [&](double x) { return source.with(key, x); }}}, key, values(),
                                      row(), request());
      one.curves.front().name = source.name;
      all.curves.push_back(one.curves.front());
    }
    if (isatty(2) != 0) std::fputs("\r\033[K", stderr);
    return report(all);
  }
  std::vector<double> values() const {
    if (options_.has("--values")) return numbers<double>("--values", options_.text("--values"));
    std::string range = options_.text("--range", "0.1:2:20");
    std::replace(range.begin(), range.end(), ':', ',');
    const std::vector<double> parts = numbers<double>("--range", range);
    if (parts.size() != 3 || !(parts[2] >= 2) || !(parts[2] <= 10000))
      throw UsageError("--range is \"" + options_.text("--range") + "\", needed is FROM:TO:COUNT, COUNT 2 to 10000");
    std::vector<double> list;
    for (int i = 0; i < static_cast<int>(parts[2]); ++i)
      list.push_back(parts[0] + (parts[1] - parts[0]) * i / (parts[2] - 1));
    return list;
  }

  template <class Result>
  int report(const Result& result) const {
    if (const std::string path = options_.text("--html"); !path.empty()) {
      std::ofstream file(path);
      file << lk::to_html(result);
      if (!file.flush()) throw UsageError("cannot write " + path);
    }
    if (options_.has("--json"))
      std::puts(lk::to_json(result).dump(2).c_str());
    else
      std::fputs(lk::describe(result, {.color = isatty(1) != 0}).c_str(), stdout);
    return 0;
  }

  std::string command_;
  Options options_;
  std::vector<Source> sources_;
  examples::RowFile rows_;
  std::vector<std::string> texts_;
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  if (arguments.empty() || std::find(arguments.begin(), arguments.end(), "--help") != arguments.end()) {
    std::fputs(kHelp, stdout);
    return 0;
  }
  try {
    const std::string command(arguments[0]);
    if (std::string_view(" pick trace compare sweep check ").find(" " + command + " ") == std::string_view::npos)
      throw UsageError("unknown command \"" + command + "\"; commands are pick, trace, compare, sweep and check");
    return Program(command, Options(argc, argv)).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "logitkit_cli: %s\n", error.what());
    return 2;
  }
}
