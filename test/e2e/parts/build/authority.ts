import * as path from "node:path";
import { cacheFolder } from "./cache";

/** Folder of the certificate authority that the Triton image and every sandbox trust, made with the image and kept. */
export const authorityFolder = (): string => path.join(cacheFolder(), "authority");
