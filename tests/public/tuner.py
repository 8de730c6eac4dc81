# SPDX-License-Identifier: Apache-2.0
"""lodfs.FidelityTuner: the rule on gradients that are made up, and on a task that the naive rule
cannot learn. Mounts and PyTorch are tried by tuner_mount.py.
"""
import importlib.util
import logging
import os
import queue
import sys
import threading

from mounted import Results

if not importlib.util.find_spec("numpy"):
    print("SKIP: there is no NumPy")
    sys.exit(77)

import numpy as np

sys.path.insert(0, os.path.join(os.environ["SOURCE_ROOT"], "src", "python"))

import faint_task
import lodfs
from fake_gradients import SHARES, Clock, Fake, likeness, train, tuner_of

logging.getLogger("lodfs.tune").setLevel(logging.CRITICAL)


def check_rule():
    tuner, clock, switched = tuner_of({"q1": .8, "q2": .96, "q3": .99})
    train(tuner, clock, 190)
    if tuner.level != "full" or tuner.history:
        yield f"a choice before the warm-up was over: {tuner.history}"
    train(tuner, clock, 100, begin=190)
    if switched != ["full", "q2"] or tuner.level != "q2":
        yield f"switched {switched}, not to the lowest whose cosine reaches .95"
    first = tuner.history[0]
    if first["cosine"] != {"q1": .8, "q2": .96, "q3": .99, "q4": .99, "q7": .99} or \
            "lowest" not in first["reason"]:
        yield f"log: {first}"
    groups = {asked[1:] for asked in tuner._gradients.asked[:24]}
    if len(groups) != 4 or any(len(set(asked[1])) != 64 for asked in tuner._gradients.asked):
        yield "levels were compared on other items or seeds"
    tuner._gradients.cosines = {"q2": .9, "q3": .9, "q4": .96}
    train(tuner, clock, 1710, begin=290)
    if switched != ["full", "q2", "q3", "q4"]:
        yield f"later switches: {switched}"
    if tuner._spent > .05 * clock.now or len(tuner.history) < 10:
        yield f"{len(tuner.history)} probes took {tuner._spent / clock.now:.3f} of the time"
    gaps = np.diff([entry["step"] for entry in tuner.history[1:]])
    if gaps.max() > 3 * gaps.min():
        yield f"probes are not spread evenly: {gaps}"


def check_bounds():
    tuner, clock, switched = tuner_of({}, likeness=likeness({"q1": .88, "q2": .885}))
    train(tuner, clock, 300)
    if switched != ["full", "q3"]:
        yield f"a level below the bound of likeness: {switched}"
    tuner, clock, switched = tuner_of({}, likeness=likeness({"q1": .895}))
    train(tuner, clock, 300)
    if switched != ["full", "q1"]:
        yield f"q1 is not below the bound by two standard errors: {switched}"
    tuner, clock, switched = tuner_of(dict.fromkeys(SHARES, .5))
    train(tuner, clock, 400)
    if switched != ["full"] or len(tuner.history) != 1:
        yield f"no level will do: {switched}, {len(tuner.history)} probes"
    tuner, clock, switched = tuner_of({})
    train(tuner, clock, 2000, loss=lambda step: 1.)
    if switched != ["full"] or tuner._spent or len(tuner.history) != 1 or \
            "not fallen" not in tuner.history[0]["reason"]:
        yield f"a model that does not learn: {switched}, {tuner.history[:1]}"
    tuner, clock, switched = tuner_of({"q1": float("nan")})
    train(tuner, clock, 600)
    if switched != ["full"] or not tuner.history or "not finite" not in tuner.history[0]["reason"]:
        yield f"a gradient that is not finite: {switched}"
    tuner, clock, switched = tuner_of({}, clock=Clock(cost=2.))
    whole = tuner._gradients
    group = len(SHARES)

    def failing(*asked):
        return [part if len(whole.asked) <= group else part * np.nan for part in whole(*asked)]
    tuner._gradients = failing
    train(tuner, clock, 2000)
    if switched != ["full"] or tuner._spent > .05 * clock.now:
        yield f"only the first group is finite: {switched}, {tuner._spent / clock.now:.3f}"
    tuner, clock, switched = tuner_of({}, clock=Clock(cost=5.))
    train(tuner, clock, 2000)
    if len(tuner.history) > 3 or tuner._spent > .05 * clock.now:
        yield f"costly gradients: {len(tuner.history)} probes, {tuner._spent / clock.now:.3f}"
    for total in 40, 100, 200, 400, 1000:
        for cost in .02, .1, .5, 2.:
            tuner, clock, _ = tuner_of({"q1": .5}, clock=Clock(cost=cost), total=total, epoch=20)
            train(tuner, clock, total)
            share, last = tuner._spent / clock.now, tuner.history[-1]
            wanted = "q2" if len(last["cosine"]) > 1 else "q3" if last["cosine"] else "full"
            if share > max(.05, cost / clock.now):
                yield f"{total} steps, gradients of {cost} seconds: {share:.3f} of the time"
            if tuner.level != wanted:
                yield f"{total} steps, gradients of {cost} seconds: {tuner.level}, since {last}"
            tuner, clock, _ = tuner_of({}, clock=Clock(cost=cost), total=total, epoch=20)
            train(tuner, clock, total, loss=lambda step: 1.)
            if tuner._gradients.asked or tuner.level != "full":
                yield f"{total} steps: gradients of a model that has not learned are compared"
    for wrong in ({"total": None}, {"total": 0}, {"likeness": None}):
        try:
            tuner_of({}, **wrong)
            yield f"{wrong} is taken"
        except ValueError:
            pass


def check_late():
    """Losses that fall late, or by their noise alone, in short and long runs."""
    for total in 100, 336, 1500:
        noise = np.random.default_rng(total).normal(size=total) * .1
        for begin in 0, total // 4, total * 2 // 3:
            tuner, clock, switched = tuner_of({}, total=total, epoch=25, clock=Clock(cost=.01))
            train(tuner, clock, total, lambda step, begin=begin, noise=noise:
                  .7 * min(1, np.exp((begin - step) / total * 8)) + noise[step] * .3)
            chosen = [entry["step"] for entry in tuner.history if entry["cosine"]]
            if begin > total / 2 and switched != ["full"]:
                yield f"{total} steps, learned in the last third: {tuner.history}"
            elif begin < total / 2 and (switched != ["full", "q1"] or chosen[0] < 2 * begin):
                yield f"{total} steps, learned from {begin} on: {tuner.history}"
        tuner, clock, switched = tuner_of({}, total=total, epoch=25, clock=Clock(cost=.01))
        train(tuner, clock, total, lambda step, noise=noise: .7 + noise[step])
        if switched != ["full"] or tuner._gradients.asked:
            yield f"{total} steps of noise: {tuner.history}"


def check_resume():
    cosines = {"q1": .9, "q2": .96}
    whole, clock, _ = tuner_of(cosines, Clock(cost=.125))  # whose sums are exact
    train(whole, clock, 900)
    first, clock, _ = tuner_of(cosines, Clock(cost=.125))
    for stop in (150, 240, 500):
        done = first._steps
        train(first, clock, stop - done, begin=done)
        state = first.state_dict()
        again, clock, switched = tuner_of(cosines, Clock(cost=.125))
        again.load_state_dict(state)
        if switched[-1] != first.level:
            yield f"after {stop} steps the first batch would be read at {switched[-1]}"
        first = again
    train(first, clock, 400, begin=500)
    if first.history != whole.history or first._due != whole._due or first._steps != 900:
        yield f"resumed: {first.history}, uninterrupted: {whole.history}"


class Rank:
    """A process of a job, here a thread: rank 0 puts what the others take."""

    def __init__(self, rank, queues):
        self.rank, self.local_rank, self.queues = rank, rank % 2, queues

    def broadcast(self, value):
        if self.rank:
            return self.queues[self.rank].get(timeout=300)
        for other in self.queues[1:]:
            other.put(value)
        return value


def check_ranks():
    queues = [queue.Queue() for _ in range(4)]
    made = [tuner_of({"q1": .9, "q2": .99}, ranks=Rank(rank, queues)) for rank in range(4)]
    threads = [threading.Thread(target=train, args=(tuner, clock, 600))
               for tuner, clock, _ in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if {tuner.level for tuner, _, _ in made} != {"q2"}:
        yield f"levels of the ranks: {[tuner.level for tuner, _, _ in made]}"
    if [switched for _, _, switched in made] != [["full", "q2"], [], ["full", "q2"], []]:
        yield f"machines switched: {[switched for _, _, switched in made]}"
    if any(tuner._gradients.asked for tuner, _, _ in made[1:]):
        yield "other ranks than 0 computed gradients"

    def fail(*_):
        raise MemoryError("none")
    made[0][0]._gradients, errors = fail, []
    for tuner, _, _ in made[:2]:
        tuner._due = 0
        try:
            tuner.step(0)
        except (MemoryError, RuntimeError) as error:
            errors.append(type(error))
    if errors != [MemoryError, RuntimeError]:
        yield f"rank 0 failed, the ranks raised {errors}"


def check_switch_fails():
    said = []
    handler = logging.Handler()
    handler.emit = said.append
    log = logging.getLogger("lodfs.tune")
    log.addHandler(handler)
    log.setLevel(logging.WARNING)

    def refuse(_):
        raise PermissionError("not permitted")
    clock = Clock()
    tuner = lodfs.FidelityTuner(Fake(clock, {}), items=100, total=2000, switch=refuse, clock=clock,
                                likeness=likeness(), epoch=50)
    train(tuner, clock, 300)
    log.setLevel(logging.CRITICAL)
    log.removeHandler(handler)
    if len(said) != 1 or "not permitted" not in said[0].getMessage():
        yield f"{len(said)} warnings"
    if tuner.level != "q1":
        yield "training stopped at a switch that failed"


def check_faint():
    """The naive rule starts at q1, and every third epoch rises if the cosine is below .95."""
    epochs, long = 10, 30
    for seed in 1, 2:
        naive, names, cosines = faint_task.Run(seed), list(faint_task.LEVELS), []
        naive.level = "q1"
        for epoch in range(epochs):
            naive.epoch()
            cosines.append(lodfs._measure.compare(naive.gradients, [naive.level], 800, (4, 64),
                                                  epoch)[naive.level][0])
            if cosines[-1] < .95 and epoch % 3 == 2:
                naive.level = names[names.index(naive.level) + 1]
        run, clock = faint_task.Run(seed), Clock()

        def switch(level, run=run):
            run.level = level

        def gradients(level, indices, chance, run=run, clock=clock):
            clock.now += len(indices) / faint_task.BATCH
            return run.gradients(level, indices, chance)
        tuner = lodfs.FidelityTuner(gradients, items=800, total=long * 25, epoch=25, clock=clock,
                                    likeness=likeness(choice="q1"), switch=switch)

        def step(loss, tuner=tuner, clock=clock):
            clock.now += 1  # takes as much time as the gradient of a batch, without another program
            tuner.step(loss)
        for _ in range(long):
            run.epoch(step)
        full = faint_task.Run(seed)
        for _ in range(long):
            full.epoch()
        print(f"seed {seed}: naive {naive.accuracy():.2f} at {naive.level}, cosines "
              f"{np.round(cosines, 2)}; tuner {run.accuracy():.2f} at {run.level}; full "
              f"{full.accuracy():.2f}; {tuner.history[:1]}")
        if naive.accuracy() > .6 or np.sum(np.array(cosines) >= .9) < 3:
            yield f"seed {seed}: the task is no trap"
        if run.accuracy() < full.accuracy() - .02 or full.accuracy() < .95:
            yield f"seed {seed}: {run.accuracy()} at {run.level}, full {full.accuracy()}"
        if any(entry["to"] in ("q1", "q2", "q3", "q4") for entry in tuner.history):
            yield f"seed {seed}: took {tuner.history}"


def main():
    results = Results()
    results.add("the rule", check_rule())
    results.add("bounds, failures, costs", check_bounds())
    results.add("a model that learns late or never", check_late())
    results.add("a resumed run is the same", check_resume())
    results.add("ranks", check_ranks())
    results.add("a switch that fails", check_switch_fails())
    results.add("a task that the naive rule cannot learn", check_faint())
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
