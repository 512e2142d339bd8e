import { createBuildFileReader, readDockerfile } from '@capstan/challenge-files/importers/jailed-build'
import { convertJail } from '@capstan/challenge-files/jails/convert'
import { type FileTree, folderOf, nameOf } from '@capstan/challenge-files/tree'

export type JailedImage = Readonly<{
  file: string
  jail: string
  /** Reason why the Dockerfile cannot be converted. Absent if the Dockerfile can be converted. */
  why?: string
}>

function isDockerfile(path: string): boolean {
  return /^dockerfile(?:\..+)?$|\.dockerfile$/i.test(nameOf(path))
}

function namesJail(text: string): boolean {
  return text
    .split('\n')
    .some(
      (line) => !line.trimStart().startsWith('#') && /\bnsjail\b|kctf-docker\/challenge|pwn\.red\/jail|redpwn\/jail/.test(line),
    )
}

/** Returns every Dockerfile of a tree that uses a jail, even if no descriptor refers to it. */
export function findJailedImages(tree: FileTree): JailedImage[] {
  return tree.paths.filter(isDockerfile).flatMap((file): JailedImage[] => {
    const text = readDockerfile(tree, file)
    if (text === undefined || !namesJail(text)) return []
    const conversion = convertJail(text, createBuildFileReader(tree, folderOf(file)))
    if (conversion === undefined)
      return [{ file, jail: 'unknown', why: 'The Dockerfile uses a jail, but has no command that starts the image.' }]
    return [{ file, jail: conversion.jail, ...(conversion.kind === 'kept' ? { why: conversion.why } : {}) }]
  })
}
