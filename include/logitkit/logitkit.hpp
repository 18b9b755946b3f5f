// SPDX-License-Identifier: MIT
#pragma once
// logitkit: a row of logits in, a token out. This header brings everything but JSON (logitkit/json.hpp).
//
// The folders are the stages of one decode step; includes point only upwards in this list:
//   core/        platform facts, token ids, rows and row types, errors
//   numeric/     softmax, log-sum-exp, argmax, top-k on spans; the SIMD kernels; no tokens here
//   random/      Philox, and the uniform of (seed, stream, position, draw)
//   candidates/  the set that steps work on: the whole row, later a compact list
//   state/       what belongs to one sequence: Request; what a step sees: StepView; what comes out: Pick
//   constrain/   which tokens a choice, a pattern, a grammar or JSON allows next (schemas: logitkit/json_schema.hpp)
//   process/     the steps, one header each
//   select/      the selectors that end a pipeline
//   pipeline/    composing, checking, building and running chains
//   preset/      the orders of other engines, as data
//   search/      beam search, drafts, and the loop around a model
//   decide/      a row as the answer to a multiple-choice question: calibrated probabilities, abstention
//   trace/       a pick step by step, why its token, how near another one was
#include "logitkit/constrain/choices.hpp"
#include "logitkit/constrain/forced_tokens.hpp"
#include "logitkit/constrain/gbnf.hpp"
#include "logitkit/constrain/json_text.hpp"
#include "logitkit/constrain/regex.hpp"
#include "logitkit/constrain/tags.hpp"
#include "logitkit/constrain/token_bytes.hpp"
#include "logitkit/core/logits.hpp"
#include "logitkit/decide/abstain.hpp"
#include "logitkit/decide/calibration.hpp"
#include "logitkit/decide/head.hpp"
#include "logitkit/decide/reliability_report.hpp"
#include "logitkit/decide/sequence_head.hpp"
#include "logitkit/numeric/argmax.hpp"
#include "logitkit/numeric/log_sum_exp.hpp"
#include "logitkit/numeric/softmax.hpp"
#include "logitkit/numeric/top_k.hpp"
#include "logitkit/pipeline/batch.hpp"
#include "logitkit/pipeline/build.hpp"
#include "logitkit/pipeline/compose.hpp"
#include "logitkit/pipeline/describe.hpp"
#include "logitkit/pipeline/device_plan.hpp"
#include "logitkit/pipeline/score_tokens.hpp"
#include "logitkit/preset/convert.hpp"
#include "logitkit/preset/huggingface.hpp"
#include "logitkit/preset/llama_cpp.hpp"
#include "logitkit/preset/ollama.hpp"
#include "logitkit/preset/openai.hpp"
#include "logitkit/preset/sglang.hpp"
#include "logitkit/preset/vllm.hpp"
#include "logitkit/search/beam_search.hpp"
#include "logitkit/search/generate.hpp"
#include "logitkit/search/stop_text.hpp"
#include "logitkit/search/verify_draft.hpp"
#include "logitkit/state/request.hpp"
#include "logitkit/trace/describe_compare.hpp"
#include "logitkit/trace/describe_trace.hpp"
#include "logitkit/trace/fingerprint.hpp"
#include "logitkit/trace/tell_apart.hpp"
