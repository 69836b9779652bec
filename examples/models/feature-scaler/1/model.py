"""Scales each row of features to the range 0 to 1."""

import numpy
import triton_python_backend_utils as pb_utils


def scale(rows):
    """Rows without any spread become zeros."""
    low = rows.min(axis=1, keepdims=True)
    spread = rows.max(axis=1, keepdims=True) - low
    return numpy.divide(rows - low, spread, out=numpy.zeros_like(rows), where=spread > 0)


class TritonPythonModel:
    def execute(self, requests):
        """Called with all requests of one dynamic batch; scales their rows in one go."""
        batches = [pb_utils.get_input_tensor_by_name(request, "features").as_numpy() for request in requests]
        scaled = scale(numpy.concatenate(batches))
        ends = numpy.cumsum([len(batch) for batch in batches])[:-1]
        return [
            pb_utils.InferenceResponse([pb_utils.Tensor("scaled", part)]) for part in numpy.split(scaled, ends)
        ]
