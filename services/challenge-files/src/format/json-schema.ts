import { ChallengeFile } from './challenge.ts'
import { GameFile } from './game.ts'

/** Where a platform serves the schema. What has been valid by a version stays so; what breaks files gets another version. */
export const schemaPath = '/api/schemas/v1/capstan.json'

/** JSON Schema of `capstan.yaml`, as text: editors complete and check by it. */
export function jsonSchemaText(): string {
  return `${JSON.stringify(
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'capstan.yaml',
      description: 'A game of Capstan, or a challenge of one.',
      type: 'object',
      required: ['apiVersion', 'kind'],
      properties: { kind: { enum: ['Challenge', 'Game'] } },
      if: { properties: { kind: { const: 'Game' } } },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: GameFile,
      else: ChallengeFile,
    },
    undefined,
    2,
  )}\n`
}

/** The line on top of a file that tells editors its schema. */
export function schemaLine(address: string): string {
  return `# yaml-language-server: $schema=${address}`
}
