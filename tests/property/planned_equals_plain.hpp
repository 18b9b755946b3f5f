// SPDX-License-Identifier: MIT
#pragma once
#include <bit>
#include <cstdint>
#include <optional>
#include <string>

#include "reference.hpp"
#include "support/random_case.hpp"

/// Runs one case through the library and through the plain program; nothing, or what differs.
inline std::optional<std::string> planned_differs_from_plain(const random_case::Case& c) {
  namespace lk = logitkit;
  const lk::Pipeline pipeline = c.pipeline();
  const auto status = [](lk::Status s) { return std::string(lk::name(s)); };
  const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };

  lk::Request request = c.request;
  const lk::PickOptions options{.logprob = c.logprob, .unconditional = c.unconditional};
  reference::Memory memory;

  std::vector<float> got(c.row.size());
  const lk::Status processed = pipeline.process(c.view(), request, got, options);
  std::vector<float> want;
  reference::Memory dropped;
  reference::Context context{&request, &dropped, c.unconditional};
  const reference::Outcome end =
      reference::run(pipeline.chain().steps(), c.row, request.vocabulary_size(), want, context);
  if (processed != end.status) return "process: " + status(processed) + ", plain " + status(end.status);
  if (end.status == lk::Status::ok) {
    want.resize(c.row.size(), reference::kMasked);
    for (std::size_t id = 0; id < want.size(); ++id)
      if (bits(got[id]) != bits(want[id]))
        return "process: id " + std::to_string(id) + " is " + std::to_string(got[id]) + ", plain " +
               std::to_string(want[id]);
  }

  for (int token = 0; token < c.tokens; ++token) {
    const std::string at = "pick " + std::to_string(token) + ": ";
    const lk::Pick pick = pipeline.pick(c.view(), request, options);
    const lk::Pick plain =
        reference::pick(pipeline, c.row, request, request.vocabulary_size(), c.logprob, memory, c.unconditional);
    if (pick.status != plain.status || pick.step != plain.step || pick.id != plain.id)
      return at + pick.message() + " at step " + std::to_string(pick.step) + ", plain " + plain.message() +
             " at step " + std::to_string(plain.step);
    if (pick.token != plain.token)
      return at + "token " + std::to_string(pick.token) + ", plain " + std::to_string(plain.token);
    const bool skipped = c.is_greedy() && !c.logprob && pick.survivors == 0;
    if (!skipped && pick.survivors != plain.survivors)
      return at + "survivors " + std::to_string(pick.survivors) + ", plain " + std::to_string(plain.survivors);
    if (bits(pick.logprob) != bits(plain.logprob) || pick.rank != plain.rank)
      return at + "logprob " + std::to_string(pick.logprob) + " rank " + std::to_string(pick.rank) + ", plain " +
             std::to_string(plain.logprob) + " rank " + std::to_string(plain.rank);
    if (!request.accept(pick)) break;
  }
  return std::nullopt;
}
