// SPDX-License-Identifier: MIT
#include <dnnl.hpp>
#include <memory>

#include "peers/softmax_peer.hpp"

namespace peers {

SoftmaxPeer onednn_softmax(std::size_t size) {
  struct State {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    dnnl::memory in, out;
    dnnl::softmax_forward softmax;
  };
  const auto state = std::make_shared<State>();
  // One row: oneDNN divides rows among threads, so this runs on the caller's.
  const dnnl::memory::desc shape({1, static_cast<dnnl::memory::dim>(size)}, dnnl::memory::data_type::f32,
                                 dnnl::memory::format_tag::ab);
  state->in = dnnl::memory(shape, state->engine, DNNL_MEMORY_NONE);
  state->out = dnnl::memory(shape, state->engine, DNNL_MEMORY_NONE);
  const dnnl::softmax_forward::desc description(dnnl::prop_kind::forward_inference, shape, 1);
  state->softmax = dnnl::softmax_forward({description, state->engine});
  return [state](const float* in, float* out) {
    state->in.set_data_handle(const_cast<float*>(in));
    state->out.set_data_handle(out);
    state->softmax.execute(state->stream, {{DNNL_ARG_SRC, state->in}, {DNNL_ARG_DST, state->out}});
    state->stream.wait();
  };
}

}  // namespace peers
