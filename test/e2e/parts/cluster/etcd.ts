import { goProgram } from "../build/go";
import { addresses } from "../lib/addresses";
import { assertFree } from "../lib/ports";
import { PartProcess } from "../lib/process";
import { logFolder, runFolder } from "../lib/sandbox";

const client = `http://${addresses.controlPlane}:2379`;
const peer = `http://${addresses.controlPlane}:2380`;

export const etcdUrl = client;

/** Starts etcd with the data of its last start in this run, if any. */
export async function startEtcd(): Promise<PartProcess> {
  await assertFree("etcd", addresses.controlPlane, 2379);
  const etcd = new PartProcess({
    name: "etcd",
    command: goProgram("etcd"),
    args: [
      `--data-dir=${runFolder("etcd")}`,
      `--listen-client-urls=${client}`,
      `--advertise-client-urls=${client}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      // The data outlives no run, so nothing is lost by not waiting for the disk.
      "--unsafe-no-fsync",
      "--log-level=warn",
    ],
    logs: logFolder(),
  });
  await etcd.ready(() =>
    fetch(`${client}/health`).then(
      (answer) => answer.ok,
      () => false,
    ),
  );
  return etcd;
}
