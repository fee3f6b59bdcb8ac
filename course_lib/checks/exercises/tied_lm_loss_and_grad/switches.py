"""The classic mistakes in `tied_lm_loss_and_grad`, one named switch each.

To add one, write

    switch(
        "my_mistake", "The mistake in a few words",
        "What you did, and why it is wrong, in a sentence or two.",
        LESSON, "head",                                  # the lesson to reread, the part it costs
        through_head=lambda m, dZ: 2 * dZ.T @ m.H,       # the method of `TiedModel` it replaces
    ),

`m` is the running model (m.E, m.A, m.X, m.H, m.n: see reference.py).
"""

import math
from typing import Any

import numpy as np

from course_lib.checks.exercise import switch
from course_lib.checks.exercises.tied_lm_loss_and_grad.reference import TiedModel

LESSON = "06_tied_embedding, the two paths"
LOSS = "06_tied_embedding, the loss"
Array = Any


def _last_wins(m: TiedModel, dX: Array) -> Array:
    out = np.zeros_like(m.E)
    out[m.idx] = dX
    return out


def _first_wins(m: TiedModel, dX: Array) -> Array:
    _, first = np.unique(m.idx, return_index=True)
    return _scatter_at(m, m.idx[first], dX[first])


def _keep(m: Any, dZ: Array) -> Array:
    m.dX = TiedModel.input_gradient(m, dZ)
    return m.dX


def _overwrite(m: Any, head: Array, lookup: Array) -> Array:
    out = head.copy()
    out[m.idx] = m.dX
    return out


def _scatter_at(m: TiedModel, ids: Array, dX: Array) -> Array:
    out = np.zeros_like(m.E)
    np.add.at(out, ids, dX)
    return out


def _naive(Z: Array) -> Array:
    return np.exp(Z) / np.exp(Z).sum(axis=1, keepdims=True)


_CAPS = (50, 100, 500, 700, 30, 20, 10, 80, 88, 60, 1000, 709)


def _log_naive(Z: Array) -> Array:
    return Z - np.log(np.exp(Z).sum(axis=1, keepdims=True))


def _log_p(m: TiedModel, Z: Array, p: Array, eps: float = 0.0) -> Array:
    return -np.log(p[np.arange(m.n), m.targets] + eps)


def _only_row_of_target(m: TiedModel, dZ: Array) -> Array:
    return (dZ * m.one_hot()).T @ m.H


def _squared(factor: float, per_token: float) -> dict[str, Any]:
    """Return loss and gradient of factor · Σ(p − y)², or of its mean over tokens if per_token."""

    def weight(m: TiedModel) -> float:
        return factor / m.V if per_token else factor

    def losses(m: TiedModel, Z: Array) -> Array:
        return weight(m) * ((m.softmax(Z) - m.one_hot()) ** 2).sum(axis=1)

    def score_gradient(m: TiedModel, Z: Array) -> Array:
        p = m.softmax(Z)
        dp = 2 * weight(m) * (p - m.one_hot()) / m.share()
        return p * (dp - (dp * p).sum(axis=1, keepdims=True))

    return {"losses": losses, "score_gradient": score_gradient}


def _narrowed(*methods: str) -> list[dict[str, Any]]:
    """Round to float32 in one place."""

    def narrow(method: str) -> dict[str, Any]:
        right = getattr(TiedModel, method)
        return {method: lambda m, *a: right(m, *a).astype(np.float32).astype(np.float64)}

    return [narrow(method) for method in methods]


def _quotient(step: float, sides: str) -> dict[str, Any]:
    """Return dE by difference quotients, forward (+), backward (-) or central (+-)."""

    def result(m: TiedModel, loss: Any, dE: Array) -> Any:
        def at(E: Array) -> float:
            Z = np.tanh(E[m.idx] @ m.A) @ E.T
            return float(TiedModel.losses(m, Z).mean())

        E, out = np.array(m.E, dtype=np.float64), np.zeros(m.E.shape)
        here = at(E)
        for place in np.ndindex(out.shape):
            kept = E[place]
            E[place] = kept + step
            up = at(E) if "+" in sides else here
            E[place] = kept - step
            down = at(E) if "-" in sides else here
            E[place] = kept
            out[place] = (up - down) / (step * len(sides))
        return loss, out

    return {"result": result}


SWITCHES = (
    # ------------------------------------------------------------ the loss
    switch("loss_sum", "The loss is a sum, not a mean",
           "Divide by the number of positions n.", LOSS, "loss",
           reduce=lambda m, losses: losses.sum()),
    switch("loss_sign", "The loss has the wrong sign",
           "It is minus the logarithm of the target's probability, so it is positive.",
           LOSS, "loss", reduce=lambda m, losses: -losses.mean()),
    switch("loss_bits", "The loss is in bits, or in powers of ten",
           "Use the natural logarithm: nats.", LOSS, "loss",
           {"reduce": lambda m, losses: losses.mean() / math.log(2)},
           {"reduce": lambda m, losses: losses.mean() / math.log(10)}),
    switch("loss_divisor", "The loss is divided by the wrong number",
           "It is the mean over the n positions.", LOSS, "loss",
           {"reduce": lambda m, losses: losses.sum() / m.V},
           {"reduce": lambda m, losses: losses.sum() / (m.n * m.V)},
           {"reduce": lambda m, losses: losses.sum() / max(m.n - 1, 1)},
           {"reduce": lambda m, losses: losses.mean() / 2},
           {"reduce": lambda m, losses: losses.sum() / m.d}),
    switch("loss_per_position", "The loss is an array, one number for each position",
           "Take the mean: one number.", LOSS, "loss",
           loss=lambda m, Z: m.losses(Z)),
    switch("loss_median", "The loss is the median or the extreme over positions",
           "Take the mean over all positions.", LOSS, "loss",
           {"reduce": lambda m, losses: np.median(losses)},
           {"reduce": lambda m, losses: losses.max()}, {"reduce": lambda m, losses: losses[-1]},
           {"reduce": lambda m, losses: losses[0]}),
    switch("loss_perplexity", "The perplexity is returned, not the loss",
           "The loss is the mean of −log p; perplexity is its exponential.", LOSS, "loss",
           reduce=lambda m, losses: np.exp(losses.mean())),
    switch("loss_probability", "The logarithm is missing from the loss",
           "The loss of a position is −log p(target), not a function of p or of the score itself.",
           LOSS, "loss",
           {"losses": lambda m, Z: 1 - m.softmax(Z)[np.arange(m.n), m.targets]},
           {"losses": lambda m, Z: -m.softmax(Z)[np.arange(m.n), m.targets]},
           {"losses": lambda m, Z: -Z[np.arange(m.n), m.targets]},
           {"losses": lambda m, Z: m.softmax(Z)[np.arange(m.n), m.targets]}),
    switch("loss_all_tokens", "The loss adds up all tokens, not only the target's",
           "Only the target's probability enters: −log p[t, targets[t]].", LOSS, "loss",
           {"losses": lambda m, Z: -np.log(m.softmax(Z)).sum(axis=1)},
           {"losses": lambda m, Z: -np.log(m.softmax(Z)).mean(axis=1)},
           {"losses": lambda m, Z: -(m.softmax(Z) * np.log(m.softmax(Z))).sum(axis=1)},
           {"losses": lambda m, Z: -(np.log(m.softmax(Z)) * m.one_hot()).mean(axis=1)},
           {"losses": lambda m, Z: -(m.one_hot() * np.log(m.softmax(Z))
                                     + (1 - m.one_hot()) * np.log(1 - m.softmax(Z))).sum(axis=1)}),
    switch("loss_squared", "The loss is a squared error",
           "It is the cross-entropy, −log p(target).", LOSS, "loss",
           {"losses": lambda m, Z: ((m.softmax(Z) - m.one_hot()) ** 2).sum(axis=1)},
           {"losses": lambda m, Z: ((m.softmax(Z) - m.one_hot()) ** 2).mean(axis=1)},
           _squared(1.0, 1.0), _squared(0.5, 0.5), _squared(1.0, 0.0), _squared(0.5, 0.0)),
    switch("loss_of_inputs", "The loss looks at idx, not at targets",
           "The token to predict at position t is targets[t].", LOSS, "loss",
           losses=lambda m, Z: m.log_sum(Z) - Z[np.arange(m.n), m.idx]),
    switch("targets_shifted", "The targets are shifted by one",
           "targets is aligned already: position t predicts targets[t].", LOSS, "loss",
           *({"answer": lambda m, E, A, i, y, s=s: TiedModel.answer(m, E, A, i, np.roll(y, s))}
             for s in (-1, 1)),
           {"answer": lambda m, E, A, i, y: TiedModel.answer(m, E, A, i[:-1], y[1:])}),
    switch("inputs_for_targets", "idx is used in place of targets, in loss and gradient",
           "The token to predict at position t is targets[t].", LOSS, "loss",
           answer=lambda m, E, A, i, y: TiedModel.answer(m, E, A, i, i)),
    switch("targets_for_inputs", "targets is used in place of idx, or the two are swapped",
           "The inputs are idx, the tokens to predict are targets.", LOSS, "loss",
           {"answer": lambda m, E, A, i, y: TiedModel.answer(m, E, A, y, y)},
           {"answer": lambda m, E, A, i, y: TiedModel.answer(m, E, A, y, i)}),
    switch("loss_epsilon", "Something is added inside the logarithm",
           "log(p + ε) bends the loss where p is small. Subtract the maximum and use log-sum-exp.",
           LOSS, "stable",
           *({"losses": lambda m, Z, e=e: _log_p(m, Z, m.softmax(Z), e)}
             for e in (1e-9, 1e-8, 1e-12, 1e-10, 1e-7, 1e-15, 1e-16, 1e-6,
                       1e-20, 1e-5, 1e-30, 1e-3)),
           *({"losses": lambda m, Z, e=e: -np.log(np.maximum(np.exp(
               Z - m.log_sum(Z)[:, None])[np.arange(m.n), m.targets], e))}
             for e in (1e-12, 1e-15, 1e-9, 1e-10, 1e-300, 1e-7, 1e-8))),
    switch("loss_infinite", "The loss becomes infinite for large scores",
           "p underflows to 0 and log 0 is −∞. Work with log-probabilities: score − log-sum-exp.",
           LOSS, "stable",
           losses=lambda m, Z: _log_p(m, Z, m.softmax(Z))),
    switch("overflow", "The softmax overflows: the maximum is not subtracted",
           "exp of a large score is infinite, and infinity over infinity is NaN. Subtract each "
           "row's maximum first; the result is the same.", LOSS, "stable",
           {"softmax": lambda m, Z: _naive(Z), "losses": lambda m, Z: _log_p(m, Z, _naive(Z))},
           {"softmax": lambda m, Z: _naive(Z),
            "log_sum": lambda m, Z: np.log(np.exp(Z).sum(axis=1))},
           {"softmax": lambda m, Z: _naive(Z)},
           {"softmax": lambda m, Z: np.exp(Z - np.log(np.exp(Z).sum(axis=1, keepdims=True))),
            "log_sum": lambda m, Z: np.log(np.exp(Z).sum(axis=1))}),
    switch("one_maximum", "One maximum is subtracted from all rows",
           "Rows with much lower scores underflow. Take each row's own: axis=1, keepdims=True.",
           LOSS, "stable",
           {"softmax": lambda m, Z: _naive(Z - Z.max()),
            "log_sum": lambda m, Z: Z.max() + np.log(np.exp(Z - Z.max()).sum(axis=1))},
           {"softmax": lambda m, Z: _naive(Z - Z.max(axis=0)),
            "losses": lambda m, Z: _log_p(m, Z, _naive(Z - Z.max(axis=0)))},
           {"softmax": lambda m, Z: np.exp(_log_naive(Z - Z.max())),
            "losses": lambda m, Z: -_log_naive(Z - Z.max())[np.arange(m.n), m.targets]},
           {"softmax": lambda m, Z: _naive(Z - Z.max()),
            "losses": lambda m, Z: _log_p(m, Z, _naive(Z - Z.max()))},
           {"softmax": lambda m, Z: _naive(Z - Z.max()),
            "losses": lambda m, Z: -_log_naive(Z - Z.max())[np.arange(m.n), m.targets]},
           {"softmax": lambda m, Z: _naive(Z - Z.max())},
           {"losses": lambda m, Z: -_log_naive(Z - Z.max())[np.arange(m.n), m.targets]},
           {"softmax": lambda m, Z: np.exp(_log_naive(Z - Z.max(axis=0))),
            "losses": lambda m, Z: -_log_naive(Z - Z.max(axis=0))[np.arange(m.n), m.targets]}),
    switch("scores_clipped", "The scores, or their exponentials, are clipped",
           "Clipping changes large scores, and so the loss and the gradient. Subtract each row's "
           "maximum instead: nothing is then too large for exp.", LOSS, "stable",
           *({"scores": lambda m, H, c=c: np.clip(TiedModel.scores(m, H), -c, c)} for c in _CAPS),
           *({"scores": lambda m, H, c=c: np.minimum(TiedModel.scores(m, H), c)} for c in _CAPS),
           *({"softmax": lambda m, Z, c=c: TiedModel.softmax(m, np.clip(Z, -c, c))}
             for c in _CAPS),
           *({"losses": lambda m, Z, c=c: TiedModel.losses(m, np.clip(Z, -c, c))} for c in _CAPS)),
    # ------------------------------------------------------------ the forward pass
    switch("no_tanh", "The tanh is missing",
           "H = tanh(XA).", LOSS, "loss",
           {"activation": lambda m, pre: pre, "slope": lambda m: 1.0},
           {"activation": lambda m, pre: pre}),
    switch("other_activation", "The activation is not tanh",
           "H = tanh(XA).", LOSS, "loss",
           {"activation": lambda m, pre: 1 / (1 + np.exp(-pre)),
            "slope": lambda m: m.H * (1 - m.H)},
           {"activation": lambda m, pre: np.maximum(pre, 0), "slope": lambda m: m.pre > 0}),
    switch("no_A", "The matrix A is left out",
           "H = tanh(XA).", LOSS, "loss",
           {"answer": lambda m, E, A, i, y: TiedModel.answer(m, E, np.eye(len(A)), i, y)}),
    switch("A_transposed_everywhere", "A is transposed in the forward pass",
           "H = tanh(X @ A). With a square matrix the transpose runs without an error.",
           LOSS, "loss",
           {"answer": lambda m, E, A, i, y: TiedModel.answer(m, E, A.T, i, y)},
           {"activation": lambda m, pre: np.tanh(m.X @ m.A.T)}),
    switch("softmax_over_positions", "The softmax runs over positions, not over tokens",
           "Each position has a distribution over the V tokens: axis=1.", LOSS, "loss",
           {"softmax": lambda m, Z: TiedModel.softmax(m, Z.T).T,
            "losses": lambda m, Z: _log_p(m, Z, TiedModel.softmax(m, Z.T).T)},
           {"softmax": lambda m, Z: np.exp(Z - Z.max()) / np.exp(Z - Z.max()).sum(),
            "losses": lambda m, Z: _log_p(m, Z, np.exp(Z - Z.max()) / np.exp(Z - Z.max()).sum())},
           {"softmax": lambda m, Z: TiedModel.softmax(m, Z.T).T},
           *({"softmax": lambda m, Z, axis=axis: (
               w := np.exp(Z - Z.max(axis=1, keepdims=True))) / w.sum(axis=axis, keepdims=True)}
             for axis in (0, None)),
           *({"softmax": (softmax := lambda m, Z, axis=axis: (
               w := np.exp(Z - Z.max(axis=1, keepdims=True))) / w.sum(axis=axis, keepdims=True)),
              "losses": lambda m, Z, p=softmax: _log_p(m, Z, p(m, Z))}
             for axis in (0, None))),
    # ------------------------------------------------------------ the gradient of the scores
    switch("gradient_sum", "The gradient lacks the factor 1/n",
           "The loss is a mean over n positions, so every gradient is divided by n.",
           LESSON, "head", share=lambda m: 1),
    switch("sum_everywhere", "Loss and gradient are sums, not means",
           "Divide both by the number of positions n.", LOSS, "loss",
           share=lambda m: 1, reduce=lambda m, losses: losses.sum()),
    switch("gradient_divisor", "The gradient is divided by the wrong number",
           "Divide by n, the number of positions, once.", LESSON, "head",
           {"share": lambda m: m.n * m.V}, {"share": lambda m: m.d},
           {"share": lambda m: max(m.n - 1, 1)}, {"share": lambda m: m.n * m.d},
           {"share": lambda m: m.n + 1},
           {"share": lambda m: len(np.unique(m.idx))}),
    switch("gradient_by_vocab", "The gradient is divided by V, not by n",
           "The loss is a mean over the n positions, so the gradient carries 1/n. The vocabulary "
           "has no part in it.", LESSON, "head", share=lambda m: m.V),
    switch("gradient_n_twice", "The gradient is divided by n twice",
           "1/n comes once, in (p − one-hot)/n; both paths start from there.", LESSON, "head",
           share=lambda m: m.n**2),
    switch("label_smoothing", "The targets are smoothed",
           "The one-hot is 1 at the target and 0 elsewhere.", LOSS, "loss",
           *({"one_hot": lambda m, e=e: (1 - e) * TiedModel.one_hot(m) + e / m.V}
             for e in (0.1, 0.01, 0.05))),
    switch("temperature", "The scores are scaled before the softmax",
           "Z = H Eᵀ, with no factor: no 1/√d and no temperature.", LOSS, "loss",
           *({"scores": lambda m, H, f=f: TiedModel.scores(m, H) * f(m)}
             for f in (lambda m: m.d**-0.5, lambda m: m.d**0.5, lambda m: 1 / m.d)),
           *({"scores": lambda m, H, f=f: TiedModel.scores(m, H) * f(m),
              "score_gradient": lambda m, Z, f=f: TiedModel.score_gradient(m, Z) * f(m)}
             for f in (lambda m: m.d**-0.5, lambda m: m.d**0.5))),
    switch("id_zero_ignored", "A target of 0 is treated as padding and ignored",
           "Id 0 is a token like all others: every position counts.", LOSS, "loss",
           {"reduce": lambda m, losses: losses[m.targets != 0].mean(),
            "score_gradient": lambda m, Z: (m.softmax(Z) - m.one_hot())
            * (m.targets != 0)[:, None] / max((m.targets != 0).sum(), 1)},
           {"reduce": lambda m, losses: (losses * (m.targets != 0)).mean(),
            "score_gradient": lambda m, Z: TiedModel.score_gradient(m, Z)
            * (m.targets != 0)[:, None]},
           {"reduce": lambda m, losses: losses[m.targets != 0].mean()}),
    switch("gradient_sign", "The gradient has the wrong sign",
           "The gradient of the scores is (p − one-hot)/n: belief minus truth.", LESSON, "head",
           score_gradient=lambda m, Z: -TiedModel.score_gradient(m, Z)),
    switch("no_one_hot", "The target is not subtracted in the gradient",
           "The gradient of the scores is (p − one-hot)/n; you use p alone.", LESSON, "head",
           one_hot=lambda m: np.zeros((m.n, m.V))),
    switch("only_one_hot", "The softmax is missing from the gradient",
           "The gradient of the scores is (p − one-hot)/n; the p is missing.", LESSON, "head",
           {"softmax": lambda m, Z: np.zeros_like(Z)}, {"softmax": lambda m, Z: Z}),
    switch("one_hot_of_inputs", "The one-hot is set at idx, not at targets",
           "Subtract 1 at the token to predict: targets[t].", LESSON, "head",
           one_hot=lambda m: np.eye(m.V)[m.idx]),
    switch("one_hot_columns", "1 is subtracted in whole columns",
           "p[:, targets] -= 1 hits every position. Index pairs: p[np.arange(n), targets] -= 1.",
           LESSON, "head",
           {"one_hot": lambda m: np.tile(np.isin(np.arange(m.V), m.targets) * 1.0, (m.n, 1))}),
    switch("softmax_jacobian_twice", "The softmax's derivative is applied twice",
           "p − one-hot is already the gradient with respect to the scores; no further p(1 − p).",
           LESSON, "head",
           {"score_gradient": lambda m, Z: TiedModel.score_gradient(m, Z)
            * m.softmax(Z) * (1 - m.softmax(Z))}),
    switch("read_rows_only", "Only the rows of ids that were read get gradient through the head",
           "Every row of E is scored at every position, so all rows get gradient through the head, "
           "those of ids that do not occur among the inputs too.", LESSON, "head",
           {"through_head": lambda m, dZ: (dZ.T @ m.H) * np.isin(np.arange(m.V), m.idx)[:, None]},
           {"through_head": lambda m, dZ: (dZ.T @ m.H) * np.isin(
               np.arange(m.V), np.concatenate([m.idx, m.targets]))[:, None]},
           {"through_head": lambda m, dZ: (dZ.T @ m.H) * np.isin(
               np.arange(m.V), m.targets)[:, None]},
           {"through_head": lambda m, dZ: (dZ.T @ m.H) * ~np.isin(
               np.arange(m.V), m.idx)[:, None]}),
    switch("target_entry_only", "Only the target's entry of p − one-hot is kept",
           "The gradient of the scores is p − one-hot in all V entries: the other tokens' scores "
           "have a gradient of p, not 0.", LESSON, "head",
           {"score_gradient": lambda m, Z: TiedModel.score_gradient(m, Z) * m.one_hot()},
           {"score_gradient": lambda m, Z: TiedModel.score_gradient(m, Z) * (1 - m.one_hot())},
           {"hidden_gradient": lambda m, dZ: (dZ * m.one_hot()) @ m.E}),
    switch("target_rows_only", "Only the target's row gets gradient through the head",
           "Every row of E is scored at every position, so every row gets p − one-hot times h.",
           LESSON, "head", through_head=_only_row_of_target),
    # ------------------------------------------------------------ the two paths
    switch("no_lookup_path", "The path through the lookup is missing",
           "E is used twice: as the head and as the input table. The rows of idx get gradient "
           "through tanh and A as well.", LESSON, "lookup", total=lambda m, head, lookup: head),
    switch("no_head_path", "The path through the head is missing",
           "E is used twice: as the input table and as the head. Every row gets dZᵀ H as well.",
           LESSON, "head", total=lambda m, head, lookup: lookup),
    switch("paths_subtracted", "The two paths are subtracted, averaged or multiplied",
           "The gradient of a tied table is the sum of both paths.", LESSON, "head",
           {"total": lambda m, head, lookup: head - lookup},
           {"total": lambda m, head, lookup: (head + lookup) / 2},
           {"total": lambda m, head, lookup: head * lookup},
           {"total": lambda m, head, lookup: lookup - head}),
    switch("path_twice", "One of the paths is counted twice",
           "The gradient is head path + lookup path, each once.", LESSON, "head",
           {"total": lambda m, head, lookup: 2 * head + lookup},
           {"total": lambda m, head, lookup: head + 2 * lookup},
           {"total": lambda m, head, lookup: 2 * (head + lookup)},
           {"total": lambda m, head, lookup: 2 * head},
           {"total": lambda m, head, lookup: 2 * lookup}),
    switch("head_without_n", "The path through the head lacks 1/n",
           "Both paths start from (p − one-hot)/n.", LESSON, "head",
           through_head=lambda m, dZ: m.n * dZ.T @ m.H),
    switch("lookup_without_n", "The path through the lookup lacks 1/n",
           "Both paths start from (p − one-hot)/n.", LESSON, "lookup",
           input_gradient=lambda m, dZ: m.n * TiedModel.input_gradient(m, dZ)),
    switch("lookup_n_twice", "The path through the lookup is divided by n twice",
           "Both paths start from (p − one-hot)/n; no further division.", LESSON, "lookup",
           input_gradient=lambda m, dZ: TiedModel.input_gradient(m, dZ) / m.n),
    switch("head_n_twice", "The path through the head is divided by n twice",
           "Both paths start from (p − one-hot)/n; no further division.", LESSON, "head",
           through_head=lambda m, dZ: dZ.T @ m.H / m.n),
    switch("head_of_inputs", "The head's path multiplies with X instead of H",
           "The scores are H Eᵀ, so the gradient of E is dZᵀ H, with H = tanh(XA).", LESSON, "head",
           {"through_head": lambda m, dZ: dZ.T @ m.X},
           {"through_head": lambda m, dZ: dZ.T @ m.pre}),
    switch("no_slope", "The derivative of tanh is missing",
           "Going back through tanh multiplies by 1 − H².", LESSON, "lookup",
           slope=lambda m: 1.0),
    switch("wrong_slope", "The derivative of tanh is wrong",
           "tanh′ is 1 − tanh², that is 1 − H² with the H of the forward pass.", LESSON, "lookup",
           {"slope": lambda m: 1 - m.H}, {"slope": lambda m: 1 - m.pre**2},
           {"slope": lambda m: 1 - m.X**2}, {"slope": lambda m: 1 - np.tanh(m.H) ** 2},
           {"slope": lambda m: m.H * (1 - m.H)}, {"slope": lambda m: 1 + m.H**2},
           {"slope": lambda m: (1 - m.H) ** 2}, {"slope": lambda m: m.H**2},
           {"slope": lambda m: 1 - np.tanh(m.X) ** 2}, {"slope": lambda m: np.sqrt(1 - m.H**2)},
           {"slope": lambda m: m.H}),
    switch("A_not_transposed", "A is not transposed on the way back",
           "Forward X @ A, backward dH @ A.T. With a square matrix both run.", LESSON, "lookup",
           input_gradient=lambda m, dZ: (m.hidden_gradient(dZ) * m.slope()) @ m.A),
    switch("A_skipped", "A is left out on the way back",
           "Forward X @ A, backward dH @ A.T.", LESSON, "lookup",
           {"input_gradient": lambda m, dZ: m.hidden_gradient(dZ) * m.slope()},
           {"input_gradient": lambda m, dZ: m.hidden_gradient(dZ)}),
    switch("slope_after_A", "tanh′ is applied after A instead of before",
           "Go back in reverse order: first through tanh, then through A.", LESSON, "lookup",
           input_gradient=lambda m, dZ: (m.hidden_gradient(dZ) @ m.A.T) * m.slope()),
    switch("one_hot_in_one_path", "The target is not subtracted in one of the two paths",
           "Both paths start from the same dZ = (p − one-hot)/n; one of yours uses p alone.",
           LESSON, "lookup",
           {"hidden_gradient": lambda m, dZ: (dZ + m.one_hot() / m.n) @ m.E},
           {"hidden_gradient": lambda m, dZ: (m.n * dZ + m.one_hot()) @ m.E},
           {"through_head": lambda m, dZ: (dZ + m.one_hot() / m.n).T @ m.H},
           {"through_head": lambda m, dZ: (m.n * dZ + m.one_hot()).T @ m.H}),
    switch("scores_of_inputs", "The scores are not H Eᵀ: X, or XA, or X + H takes the place of H",
           "The hidden vectors H = tanh(XA) are compared with every row of E: Z = H Eᵀ.",
           LOSS, "loss",
           {"scores": lambda m, H: m.X @ m.E.T}, {"scores": lambda m, H: m.pre @ m.E.T},
           {"scores": lambda m, H: (H + m.X) @ m.E.T},
           {"scores": lambda m, H: m.X @ m.E.T, "through_head": lambda m, dZ: dZ.T @ m.X,
            "input_gradient": lambda m, dZ: dZ @ m.E},
           {"scores": lambda m, H: (H + m.X) @ m.E.T,
            "through_head": lambda m, dZ: dZ.T @ (m.H + m.X),
            "input_gradient": lambda m, dZ: TiedModel.input_gradient(m, dZ) + dZ @ m.E}),
    switch("hidden_gradient_wrong", "The gradient of H is not dZ E",
           "Z = H Eᵀ, so dH = dZ @ E.", LESSON, "lookup",
           {"hidden_gradient": lambda m, dZ: m.X * (dZ @ m.E)},
           {"hidden_gradient": lambda m, dZ: m.H},
           {"hidden_gradient": lambda m, dZ: -m.E[m.targets] / m.n},
),
    # ------------------------------------------------------------ repeated ids
    switch("repeated_ids", "Repeated ids get only one of their gradients",
           "dE[idx] += dX keeps the last one where an id repeats. Use np.add.at(dE, idx, dX), "
           "a one-hot matrix or a loop.", "06_tied_embedding, repeated ids", "repeats",
           {"scatter": _last_wins},
           {"scatter": _first_wins}),
    switch("head_overwritten", "The lookup's gradient overwrites the head's",
           "dE[idx] = dX throws away what the head gave these rows; add to it.",
           "06_tied_embedding, repeated ids", "repeats",
           {"input_gradient": _keep, "total": _overwrite}),
    switch("repeated_ids_averaged", "The gradients of a repeated id are averaged",
           "They add up: each occurrence counts.", "06_tied_embedding, repeated ids", "repeats",
           {"scatter": lambda m, dX: TiedModel.scatter(m, dX)
            / np.maximum(np.bincount(m.idx, minlength=m.V), 1)[:, None]}),
    switch("repeated_ids_multiplied", "The gradients of a repeated id are multiplied by its count",
           "Each occurrence has a gradient of its own; add them.",
           "06_tied_embedding, repeated ids", "repeats",
           {"scatter": lambda m, dX: _last_wins(m, dX)
            * np.bincount(m.idx, minlength=m.V)[:, None]}),
    switch("scattered_at_targets", "The lookup's gradient goes to the rows of targets",
           "The rows that were looked up are those of idx.", LESSON, "lookup",
           scatter=lambda m, dX: _scatter_at(m, m.targets, dX)),
    switch("scattered_to_one_row", "The lookup's gradient of all positions goes to one row",
           "Each position's gradient goes to the row of its own id, idx[t]: here row 0, or the "
           "last row, gets them all.", LESSON, "lookup",
           {"scatter": lambda m, dX: _scatter_at(m, 0 * m.idx, dX)},
           {"scatter": lambda m, dX: _scatter_at(m, 0 * m.idx - 1, dX)},
           {"scatter": lambda m, dX: _scatter_at(m, 0 * m.idx + m.idx[0], dX)},
           {"scatter": lambda m, dX: _scatter_at(m, 0 * m.idx + m.idx[-1], dX)},
           {"scatter": lambda m, dX: _scatter_at(m, m.idx, np.tile(dX.sum(axis=0), (m.n, 1)))},
           {"scatter": lambda m, dX: _scatter_at(m, m.idx[:1], dX[:1])},
           {"scatter": lambda m, dX: _scatter_at(m, m.idx[-1:], dX[-1:])}),
    switch("scattered_off_by_one", "The lookup's gradient goes to the wrong row: id off by one",
           "Ids are 0-based: the gradient of position t goes to row idx[t], not to the row before "
           "or the next row.", LESSON, "lookup",
           {"scatter": lambda m, dX: _scatter_at(m, (m.idx + 1) % m.V, dX)},
           {"scatter": lambda m, dX: _scatter_at(m, (m.idx - 1) % m.V, dX)},
           {"scatter": lambda m, dX: _scatter_at(m, np.minimum(m.idx + 1, m.V - 1), dX)},
           {"scatter": lambda m, dX: _scatter_at(m, np.maximum(m.idx - 1, 0), dX)},
           {"scatter": lambda m, dX: _scatter_at(m, np.roll(m.idx, 1), dX)},
           {"scatter": lambda m, dX: _scatter_at(m, np.roll(m.idx, -1), dX)}),
    switch("weight_decay", "A weight decay (L2) term, a multiple of E, is added to the gradient",
           "The loss is the cross-entropy alone, with no regularisation: dE holds the two paths "
           "and nothing else.", LESSON, "whole",
           *({"total": lambda m, head, lookup, c=c: head + lookup + c * m.E}
             for c in (0.01, 0.1, 0.001, 1e-4, 0.02, 0.002, 2e-4, 0.2, 0.05)),
           *({"total": lambda m, head, lookup, c=c: head + lookup + 2 * c * m.E,
              "loss": lambda m, Z, c=c: float(TiedModel.loss(m, Z) + c * (m.E**2).sum())}
             for c in (0.01, 0.1, 0.001, 1e-4, 0.005, 5e-4, 0.05, 0.5)),
           *({"total": lambda m, head, lookup, c=c: head + lookup - c * m.E}
             for c in (0.01, 0.1, 0.001)),
           *({"loss": lambda m, Z, c=c: float(TiedModel.loss(m, Z) + c * (m.E**2).sum())}
             for c in (0.01, 0.1, 0.001, 1e-4))),
    switch("scattered_by_position", "The lookup's gradient goes to the wrong rows",
           "Row idx[t] gets the gradient of position t.", LESSON, "lookup",
           {"scatter": lambda m, dX: _scatter_at(m, np.arange(m.n) % m.V, dX)},
           {"scatter": lambda m, dX: _scatter_at(m, m.idx[::-1], dX)},
           {"scatter": lambda m, dX: _scatter_at(
               m, np.unique(m.idx), dX[: len(np.unique(m.idx))])},
           {"scatter": lambda m, dX: _scatter_at(m, np.sort(m.idx), dX)},
           {"scatter": lambda m, dX: np.tile(dX.sum(axis=0), (m.V, 1))},
           {"scatter": lambda m, dX: np.tile(dX.mean(axis=0), (m.V, 1))}),
    switch("cut_at_largest_id", "dE has only as many rows as the largest id",
           "dE has the shape of E, (V, d), whichever ids occur; bincount needs minlength=V.",
           LESSON, "whole",
           {"total": lambda m, head, lookup: (head + lookup)[: m.idx.max() + 1]},
           {"total": lambda m, head, lookup: (head + lookup)[
               : max(m.idx.max(), m.targets.max()) + 1]}),
    # ------------------------------------------------------------ what is returned
    switch("result_swapped", "The gradient is returned before the loss",
           "Return (loss, dE), in this order.", LESSON, "whole",
           result=lambda m, loss, dE: (dE, loss)),
    switch("result_only_gradient", "Only one of the two results is returned",
           "Return both: (loss, dE).", LESSON, "whole",
           result=lambda m, loss, dE: dE, also=("loss",)),
    switch("result_only_loss", "Only one of the two results is returned",
           "Return both: (loss, dE).", LESSON, "whole",
           result=lambda m, loss, dE: loss, also=("head", "lookup", "repeats", "stable")),
    switch("gradient_zero", "The gradient is all zeros",
           "dE is returned as it was made. It has to be filled through both paths.", LESSON,
           "head", result=lambda m, loss, dE: (loss, np.zeros_like(dE)),
           also=("lookup", "repeats", "stable")),
    switch("result_transposed", "dE is transposed",
           "dE has the shape of E, (V, d).", LESSON, "whole",
           result=lambda m, loss, dE: (loss, dE.T)),
    switch("result_by_position", "The gradient of X is returned, not that of E",
           "dE has the shape of E, (V, d): add each position's gradient to the row of its id.",
           LESSON, "whole",
           {"input_gradient": _keep, "result": lambda m, loss, dE: (loss, m.dX)}),
    switch("result_of_A", "The gradient of A is returned, not that of E",
           "dE has the shape of E, (V, d).", LESSON, "whole",
           {"hidden_gradient": lambda m, dZ: m.__dict__.setdefault("dZ", dZ) @ m.E,
            "result": lambda m, loss, dE: (loss, m.X.T @ ((m.dZ @ m.E) * m.slope()))}),
    switch("result_updated", "The updated table is returned, not the gradient",
           "Return dE itself; a training step comes later.", LESSON, "whole",
           {"result": lambda m, loss, dE: (loss, m.E - dE)},
           {"result": lambda m, loss, dE: (loss, m.E + dE)}),
    switch("result_clipped", "The gradient is clipped or normalised",
           "Return the exact gradient.", LESSON, "whole",
           {"result": lambda m, loss, dE: (loss, dE / np.linalg.norm(dE))},
           {"result": lambda m, loss, dE: (loss, np.clip(dE, -0.1, 0.1))}),
    switch("float32", "float32 is used although the arrays are float64",
           "About seven digits are right, then rounding shows. float64 in means float64 out.",
           LESSON, "whole",
           {"answer": lambda m, E, A, i, y: TiedModel.answer(
               m, E.astype(np.float32), A.astype(np.float32), i, y)},
           {"result": lambda m, loss, dE: (loss, dE.astype(np.float32))},
           *_narrowed("scatter", "through_head", "softmax", "input_gradient", "activation",
                      "scores", "hidden_gradient", "score_gradient", "lookup", "losses"),
           tolerance=1e-5),
    # one-sided quotients and large steps repeat their own error exactly, small steps only roughly
    switch("finite_differences", "The gradient is computed by finite differences",
           "A difference quotient is a numerical approximation, not exact: derive both paths by "
           "hand.", LESSON, "whole",
           *(_quotient(step, sides) for step, sides in (
               (1e-4, "+"), (1e-5, "+"), (1e-6, "+"), (1e-3, "+"), (1e-3, "+-"), (1e-2, "+-"),
               (1e-4, "-"), (1e-5, "-"))), alone=True),
    switch("finite_differences_small", "The gradient is computed by finite differences",
           "A difference quotient with a small step is a numerical approximation that loses digits "
           "to rounding: derive both paths by hand.", LESSON, "whole",
           *(_quotient(step, sides) for step, sides in (
               (1e-5, "+-"), (1e-6, "+-"), (1e-7, "+-"), (1e-8, "+"), (1e-7, "+"))),
           tolerance=1e-5, alone=True),
)  # fmt: skip
