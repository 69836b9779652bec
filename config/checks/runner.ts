import type { Problem } from "../problem";
import { check } from "./check";

/** What is closed to the internet is closed to a hosted CI runner or a laptop as well. */
export const runner = check(["access", "cluster", "modelStore"], ({ access, cluster, modelStore }) => {
  const problems: Problem[] = [];
  const key = "access.runner";
  if (cluster.privateApiServer && access.runner !== "private") {
    problems.push({
      key,
      message: "cluster.privateApiServer needs `private`: a runner outside the network cannot reach the API server",
    });
  }
  if (modelStore.network === "private-endpoint" && access.runner !== "private") {
    problems.push({
      key,
      message:
        "modelStore.network: private-endpoint needs `private`: nothing outside the network can publish a release",
    });
  }
  if (cluster.privateApiServer && cluster.authorizedIpRanges.length > 0) {
    problems.push({
      key: "cluster.authorizedIpRanges",
      message: "a private API server has no public address to restrict; remove one of the two",
    });
  }
  if (modelStore.network === "private-endpoint" && modelStore.publisherIpRanges.length > 0) {
    problems.push({
      key: "modelStore.publisherIpRanges",
      message: "private-endpoint closes the public address; remove one of the two",
    });
  }
  return problems;
});
