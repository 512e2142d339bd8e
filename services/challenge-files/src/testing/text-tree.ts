import type { FileTree } from '../tree.ts'

export function createTextTree(files: Readonly<Record<string, string>>): FileTree {
  return {
    paths: Object.keys(files).sort(),
    readText: (path, maxBytes) => {
      const text = files[path]
      if (text === undefined) throw new Error(`${path} is not here.`)
      if (new TextEncoder().encode(text).length > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes.`)
      return text
    },
  }
}
