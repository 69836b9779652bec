import * as fs from "node:fs";
import * as path from "node:path";
import { run } from "./run";

export interface KeyPair {
  /** Path of the certificate, PEM. */
  readonly certificate: string;
  /** Path of the private key, PEM, readable by its owner alone. */
  readonly key: string;
}

export interface CertificateRequest {
  /** Name of the files, without ending. */
  readonly file: string;
  readonly commonName: string;
  /** For a client of the API server: its group. */
  readonly organization?: string;
  readonly dnsNames?: readonly string[];
  readonly addresses?: readonly string[];
}

const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];

const keyPairIn = (folder: string, file: string): KeyPair => ({
  certificate: path.join(folder, `${file}.crt`),
  key: path.join(folder, `${file}.key`),
});

/** The certificate authority in `folder`, made at the first call. Only the test images and the sandbox trust it. */
export async function certificateAuthority(folder: string): Promise<KeyPair> {
  const pair = keyPairIn(folder, "ca");
  if (fs.existsSync(pair.certificate)) return pair;
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unfinished = `${pair.certificate}.new`;
  await run("openssl", [
    ...["req", "-x509", ...newKey, "-days", "3650", "-subj", "/CN=triton-azure e2e test CA"],
    ...["-addext", "keyUsage=critical,keyCertSign,cRLSign", "-keyout", pair.key, "-out", unfinished],
  ]);
  fs.renameSync(unfinished, pair.certificate);
  return pair;
}

/** Issues a certificate for servers and clients alike, valid for 30 days. */
export async function issue(authority: KeyPair, folder: string, request: CertificateRequest): Promise<KeyPair> {
  const { file, commonName, organization, dnsNames = [], addresses = [] } = request;
  const pair = keyPairIn(folder, file);
  const subject = `${organization === undefined ? "" : `/O=${organization}`}/CN=${commonName}`;
  const names = [...dnsNames.map((name) => `DNS:${name}`), ...addresses.map((address) => `IP:${address}`)];
  await run("openssl", [
    ...[
      "req",
      "-x509",
      ...newKey,
      "-days",
      "30",
      "-subj",
      subject,
      "-CA",
      authority.certificate,
      "-CAkey",
      authority.key,
    ],
    ...["-addext", "basicConstraints=critical,CA:FALSE"],
    ...["-addext", "keyUsage=critical,digitalSignature", "-addext", "extendedKeyUsage=serverAuth,clientAuth"],
    ...(names.length === 0 ? [] : ["-addext", `subjectAltName=${names.join(",")}`]),
    ...["-keyout", pair.key, "-out", pair.certificate],
  ]);
  return pair;
}
