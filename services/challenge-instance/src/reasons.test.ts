import { readFileSync } from 'node:fs'
import { languageCodes } from '@capstan/contract/languages'
import type { ProblemTextCode } from '@capstan/contract/problems'
import { serverTexts } from '@capstan/contract/server-texts'
import { instanceReasons } from '@capstan/contract/vocabulary'
import { describe, expect, it, test } from 'vitest'
import { conditionTypes } from './conditions.ts'
import { definitionFile } from './definition-file.ts'
import { captureReasons, isFinalFailureReason, type ReadyReason, readyReasons } from './reasons.ts'

function read(path: string) {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
}
const definition = readFileSync(definitionFile, 'utf8')
const reasons = Object.keys(readyReasons) as ReadyReason[]
const final = reasons.filter(isFinalFailureReason)

describe('a reason', () => {
  it('is one PascalCase word, and its message is a sentence', () => {
    const messages = Object.entries(readyReasons).map(([reason, { message }]) => [reason, message] as const)
    for (const [reason, message] of [...messages, ...Object.entries(captureReasons)]) {
      expect(reason).toMatch(/^[A-Z][A-Za-z]+$/)
      expect(message).toMatch(/^[A-Z].*\.$/)
    }
  })

  it('a reason is not final if it is unknown in this version', () => {
    expect(isFinalFailureReason('Unheard')).toBe(false)
    expect(isFinalFailureReason('toString')).toBe(false)
  })
})

describe('a reason for a permanent failure of an instance', () => {
  it('has a text in every language, and its message is the English text', () => {
    for (const reason of final) {
      const code = `instance.${reason}` as ProblemTextCode
      expect([reason, serverTexts['en-US'].texts[code]]).toEqual([reason, readyReasons[reason].message])
      for (const language of languageCodes) expect([reason, language, serverTexts[language].texts[code]]).not.toContain(undefined)
    }
  })

  it('a reason for a permanent failure has a text for organizers', () => {
    expect(instanceReasons).toEqual(expect.arrayContaining(final))
  })

  it('a reason for a permanent failure is listed in the custom resource definition', () => {
    const header = definition.slice(0, definition.indexOf('apiVersion:')).replaceAll('\n#', ' ')
    const listed = /only after a change\s+from outside:([A-Za-z,\s]+)\./.exec(header)?.[1]
    expect(listed?.split(',').map((word) => word.trim())).toEqual(final)
  })

  it('a reason for a permanent failure has a row in a table of docs/operations.md', () => {
    const rows = [...read('docs/operations.md').matchAll(/^\| `(\w+)`/gm)].map(([, word]) => word)
    expect(rows).toEqual(expect.arrayContaining(final))
  })

  it('a reason for a permanent failure is listed in the alert rule of the Helm chart', () => {
    const listed = /ready="False",\s+reason=~"([\w|]+)"/.exec(read('charts/capstan/templates/monitoring/alerts.yaml'))?.[1]
    expect(listed?.split('|').sort()).toEqual([...final].sort())
  })
})

test('the custom resource definition lists all conditions', () => {
  const listed = /Name of the fact \(([\w, ]+)\)/.exec(definition)?.[1]
  expect(listed?.split(', ')).toEqual(Object.values(conditionTypes))
})
