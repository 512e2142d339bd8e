import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createSchemaReferenceLine, jsonSchemaText, schemaPath } from '@capstan/challenge-files/format/json-schema'
import { nameFromTitle } from '@capstan/challenge-files/importers/names'
import { findPlatformAddress, toPlatformOrigin } from '../connection.ts'
import { writeFileInFolder } from '../folder-tree.ts'
import { type Command, exitCodes } from './command.ts'
import { parseFolderArgument } from './prepare.ts'

/**
 * Name of the schema file next to the game. It is written only if no platform is known, because a platform serves the schema
 * itself.
 */
const schemaFile = 'capstan.schema.json'

function gameText(schema: string, name: string): string {
  return `${createSchemaReferenceLine(schema)}
apiVersion: capstan/v1
kind: Game
name: ${name} # identifies the game when you apply the files; never change it
title: ${name}
hidden: true # remove this line when players may see the game
summary: One or two sentences that invite players.
description: |
  What players should know before they start.
starts: 2027-01-01T10:00:00Z
ends: 2027-01-02T10:00:00Z
`
}

function challengeText(schema: string): string {
  return `${createSchemaReferenceLine(schema)}
apiVersion: capstan/v1
kind: Challenge
name: welcome # identifies the challenge when you apply the files; never change it
title: Welcome aboard
category: Misc
enabled: true
description:
  file: description.md
score:
  points: 50
  minimumShare: 1 # the points never decrease
flags:
  - text: flag{welcome_aboard}
hints:
  - The flag is in the text.
`
}

const descriptionText = `Flags look like this one. Submit them exactly as written:

\`\`\`
flag{welcome_aboard}
\`\`\`
`

export const initCommand: Command = {
  usage: 'capstan init [--url ADDRESS] [FOLDER]',
  summary: 'Creates a folder for a game, with one challenge as an example.',
  run: (args, context) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { url: { type: 'string' } },
    })
    const root = parseFolderArgument(positionals)
    const address = values.url === undefined ? findPlatformAddress(context) : toPlatformOrigin(values.url)
    const schemaFrom = (depth: number) =>
      address === undefined ? `${'../'.repeat(depth)}${schemaFile}` : `${address}${schemaPath}`
    const files: Record<string, string> = {
      'capstan.yaml': gameText(schemaFrom(0), nameFromTitle(basename(resolve(root)))),
      'misc/welcome/capstan.yaml': challengeText(schemaFrom(2)),
      'misc/welcome/description.md': descriptionText,
      ...(address === undefined && { [schemaFile]: jsonSchemaText() }),
    }
    const taken = Object.keys(files).find((path) => existsSync(join(root, path)))
    if (taken !== undefined) throw new Error(`${join(root, taken)} already exists; nothing was written.`)
    for (const [path, text] of Object.entries(files)) {
      writeFileInFolder(root, path, text, 'wx')
      context.line(`created: ${path}`)
    }
    return exitCodes.done
  },
}
