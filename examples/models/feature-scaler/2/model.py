"""Scales each row of features to mean 0 and standard deviation 1."""

import numpy
import triton_python_backend_utils as pb_utils


def scale(rows):
    """Rows without any spread become zeros."""
    spread = rows.std(axis=1, keepdims=True)
    return numpy.divide(rows - rows.mean(axis=1, keepdims=True), spread, out=numpy.zeros_like(rows), where=spread > 0)


class TritonPythonModel:
    def execute(self, requests):
        """Called with all requests of one dynamic batch; scales their rows in one go."""
        batches = [pb_utils.get_input_tensor_by_name(request, "features").as_numpy() for request in requests]
        scaled = scale(numpy.concatenate(batches))
        ends = numpy.cumsum([len(batch) for batch in batches])[:-1]
        return [
            pb_utils.InferenceResponse([pb_utils.Tensor("scaled", part)]) for part in numpy.split(scaled, ends)
        ]
