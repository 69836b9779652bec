import { check } from "./check";

export const autoscalingBounds = check(["autoscaling"], ({ autoscaling: { min, max } }) =>
  max !== undefined && min > max
    ? [
        {
          key: "autoscaling.min",
          message: `${min} is more than autoscaling.max, ${max}; lower it or raise the maximum`,
        },
      ]
    : [],
);
