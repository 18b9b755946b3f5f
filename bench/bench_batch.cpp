// SPDX-License-Identifier: MIT
// Batch/chat/<threads>: 64 rows of Pick/chat, from memory. Counters are per row; `times_one_thread` is 0.5 where two
// threads take half the time of one.
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "harness.hpp"
#include "picks.hpp"

namespace bench {

namespace {

namespace lk = logitkit;

/// What an engine has: threads that wait, and take the next index until none is left. The caller is one of them.
class ThreadPool {
 public:
  explicit ThreadPool(std::size_t threads) {
    while (workers_.size() + 1 < threads) workers_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }
  ~ThreadPool() {
    for (std::jthread& worker : workers_) worker.request_stop();
  }

  void operator()(std::size_t n, const std::function<void(std::size_t)>& f) {
    {
      const std::lock_guard lock(mutex_);
      f_ = &f;
      n_ = n;
      next_ = 0;
      busy_ = workers_.size();
      ++job_;
    }
    start_.notify_all();
    take_all();
    std::unique_lock lock(mutex_);
    end_.wait(lock, [this] { return busy_ == 0; });
  }

 private:
  void take_all() {
    for (std::size_t i = next_++; i < n_; i = next_++) (*f_)(i);
  }
  void work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    for (std::size_t done = 0; start_.wait(lock, stop, [&] { return job_ != done; });) {
      done = job_;
      lock.unlock();
      take_all();
      lock.lock();
      if (--busy_ == 0) end_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable_any start_, end_;
  const std::function<void(std::size_t)>* f_ = nullptr;
  std::size_t n_ = 0, busy_ = 0, job_ = 0;
  std::atomic<std::size_t> next_ = 0;
  std::vector<std::jthread> workers_;
};

/// The requests of a batch and their picks.
struct Batch {
  Batch(Rows over, std::size_t threads) : pool(threads), picks(over.size()) {
    for (std::size_t i = 0; i < over.size(); ++i) {
      views.emplace_back(over[i]);
      requests.push_back(fresh().fork(i));
    }
    for (lk::Request& request : requests) pointers.push_back(&request);
  }
  void run() { lk::pick_batch(pipeline, views, pointers, picks, pool); }

  lk::Pipeline pipeline = chat();
  ThreadPool pool;
  std::vector<lk::LogitsView> views;
  std::vector<lk::Request> requests;
  std::vector<lk::Request*> pointers;
  std::vector<lk::Pick> picks;
};

/// All rows at the first call of a turn, so that the time per call is that per row.
Call run_all(const std::shared_ptr<Batch>& batch) {
  return [=](std::size_t row) {
    if (row == 0) batch->run();
  };
}

Work batch_work(Rows over, std::size_t threads) {
  const auto batch = std::make_shared<Batch>(over, threads);
  const auto difference = [=, run = run_all(batch)](std::size_t row) {
    run(row);
    return difference_from_plain(batch->picks[row], batch->pipeline, over[row], batch->requests[row]);
  };
  return {.run = run_all(batch), .difference = difference};
}

}  // namespace

void add_batch() {
  const auto make_rows = [] { return rows("typical", kVocabulary, 64); };
  add_one("Batch/chat/1", make_rows, [](Rows over) { return batch_work(over, 1); });
  add_one("Batch/chat/2", make_rows, [](Rows over) {
    Work work = batch_work(over, 2);
    work.rival = batch_work(over, 1).run;
    work.rival_counter = "times_one_thread";
    return work;
  });
}

}  // namespace bench
