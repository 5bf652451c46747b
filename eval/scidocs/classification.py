"""Classes of papers by a linear support vector machine on their vectors (SPECTER paper, section 3.1).

As in the published code: squared hinge loss, no intercept, one class against the rest, C from seven powers of ten by
three-fold cross-validation on the training papers, macro F1. (The paper mentions a held-out set for C; its figures
come from the code.) The code takes the machine of scikit-learn-contrib's lightning; scikit-learn's solves the same dual
problem by the same descent, here with lightning's tolerance.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from common.errors import SourceError
from eval.scidocs.embeddings import Embeddings

_FOLDS = 3
_C = np.logspace(-4, 2, 7)
_TOLERANCE = 1e-3
_SEED = 42

Labels = Sequence[tuple[str, str]]  # (paper id, class)


@dataclass(frozen=True, slots=True)
class Classified:
    """How well the classes of the test papers are predicted."""

    f1: float  # macro, 0 to 1
    c: float  # the chosen inverse of the regularisation


def classify(train: Labels, test: Labels, embeddings: Embeddings, jobs: int = 1) -> Classified:
    """Train on some papers, test on others; a paper without a vector is a zero vector in both, as in SciDocs.

    Raises:
        SourceError: fewer than two classes have a training paper for each fold.
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.metrics import f1_score
    from sklearn.model_selection import GridSearchCV
    from sklearn.svm import LinearSVC

    counts = Counter(label for _, label in train)
    if sum(count >= _FOLDS for count in counts.values()) < 2:
        raise SourceError(f"to train a classifier takes two classes of {_FOLDS} papers: here are {dict(counts)}")
    machine = LinearSVC(loss="squared_hinge", dual=True, fit_intercept=False, tol=_TOLERANCE, random_state=_SEED)
    search = GridSearchCV(machine, {"C": _C}, cv=_FOLDS, n_jobs=jobs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        search.fit(embeddings.find([paper for paper, _ in train]), [label for _, label in train])
    predicted = search.predict(embeddings.find([paper for paper, _ in test]))
    f1 = f1_score([label for _, label in test], predicted, average="macro", zero_division=0.0)
    return Classified(float(f1), float(search.best_params_["C"]))
