// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "logitkit/constrain/constraint_error.hpp"

LOGITKIT_NAMESPACE_BEGIN

namespace detail {

/// A schema keeps the order of its keys: it is the order in which the model must write them.
using Json = nlohmann::ordered_json;

/// A parsed schema document: finds references in it and says where something stands.
class SchemaDocument {
 public:
  explicit SchemaDocument(std::string_view text) {
    check_nesting(text);
    root_ = Json::parse(text, nullptr, false);
    if (root_.is_discarded()) refuse("schema at #: not JSON");
  }
  const Json& root() const { return root_; }

  /// Refuses, naming `keyword` (may be empty) and the pointer of `schema`.
  [[noreturn]] void error(const Json& schema, std::string_view keyword, std::string_view problem) const {
    std::string text;
    if (!keyword.empty()) text += "keyword \"" + std::string(keyword) + "\" ";
    refuse(text + "at " + pointer(schema) + ": " + std::string(problem));
  }

  /// The JSON pointer of a part of the document, as a URI fragment.
  std::string pointer(const Json& part) const {
    struct Level {
      const Json* json;
      std::size_t next;
      std::string name;
    };
    std::vector<Level> path{{&root_, 0, "#"}};
    while (path.back().json != &part) {
      Level& level = path.back();
      if (!level.json->is_structured() || level.next == level.json->size()) {
        path.pop_back();
        if (path.empty()) return "#";
        continue;
      }
      const std::size_t i = level.next++;
      if (level.json->is_array()) {
        path.push_back({&(*level.json)[i], 0, std::to_string(i)});
        continue;
      }
      const auto member = std::next(level.json->begin(), static_cast<std::ptrdiff_t>(i));
      std::string name;
      for (char c : member.key()) name += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
      path.push_back({&*member, 0, std::move(name)});
    }
    std::string out;
    for (const Level& level : path) out += (out.empty() ? "" : "/") + level.name;
    return out;
  }

  /// The target of the `$ref` of `schema`: `#` or `#/...` in this document.
  const Json& resolve(const Json& schema) const {
    const Json& ref = schema.at("$ref");
    if (!ref.is_string()) error(schema, "$ref", "must be a string");
    std::string_view text = ref.get_ref<const std::string&>();
    if (text.empty() || text[0] != '#' || (text.size() > 1 && text[1] != '/'))
      error(schema, "$ref",
            "\"" + std::string(text) + "\": only references into the document (# or #/...) are supported");
    text.remove_prefix(1);
    const Json* at = &root_;
    while (!text.empty()) {
      text.remove_prefix(1);
      const std::string token = unescaped(text.substr(0, text.find('/')));
      text.remove_prefix(std::min(text.find('/'), text.size()));
      const Json* next = nullptr;
      if (at->is_object() && at->contains(token)) next = &at->at(token);
      if (at->is_array() && !token.empty() && token.size() < 10 &&
          token.find_first_not_of("0123456789") == std::string::npos && std::stoul(token) < at->size())
        next = &(*at)[std::stoul(token)];
      if (next == nullptr) error(schema, "$ref", "\"" + ref.get<std::string>() + "\" points to nothing");
      at = next;
    }
    return *at;
  }

 private:
  static constexpr int kMaxNesting = 512;

  // before parsing, so that nothing later needs to fear the depth
  static void check_nesting(std::string_view text) {
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (in_string) {
        if (c == '\\') ++i;
        if (c == '"') in_string = false;
        continue;
      }
      if (c == '"') in_string = true;
      if (c == ']' || c == '}') --depth;
      if ((c == '[' || c == '{') && ++depth > kMaxNesting)
        refuse("schema at #: nested more than " + std::to_string(kMaxNesting) + " deep");
    }
  }

  // %XX, then ~1 and ~0
  static std::string unescaped(std::string_view token) {
    const auto digit = [](char c) {
      return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
    };
    std::string decoded;
    for (std::size_t i = 0; i < token.size(); ++i) {
      if (token[i] == '%' && i + 2 < token.size() && digit(token[i + 1]) >= 0 && digit(token[i + 2]) >= 0) {
        decoded.push_back(static_cast<char>(digit(token[i + 1]) * 16 + digit(token[i + 2])));
        i += 2;
      } else {
        decoded.push_back(token[i]);
      }
    }
    std::string out;
    for (std::size_t i = 0; i < decoded.size(); ++i) {
      if (decoded[i] == '~' && i + 1 < decoded.size() && (decoded[i + 1] == '0' || decoded[i + 1] == '1'))
        out.push_back(decoded[++i] == '0' ? '~' : '/');
      else
        out.push_back(decoded[i]);
    }
    return out;
  }

  Json root_;
};

}  // namespace detail

LOGITKIT_NAMESPACE_END
