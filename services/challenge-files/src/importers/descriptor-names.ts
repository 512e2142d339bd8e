import { nameOf } from '../tree.ts'

/** True if a file has the name of a descriptor of another platform. */
export function isDescriptor(path: string): boolean {
  return /^(?:(?:challenge|chall|ctfcli|kona|klodd)\.ya?ml|(?:challenge|kona)\.toml)$/.test(nameOf(path))
}
