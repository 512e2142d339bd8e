import { nameOf } from '../tree.ts'

export function isDescriptor(path: string): boolean {
  return /^(?:(?:challenge|chall|ctfcli|kona|klodd)\.ya?ml|(?:challenge|kona)\.toml)$/.test(nameOf(path))
}
