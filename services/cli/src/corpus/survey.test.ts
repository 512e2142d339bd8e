import { createTextTree } from '@capstan/challenge-files/testing/text-tree'
import { describe, expect, it } from 'vitest'
import { formatSurvey } from './print.ts'
import { surveyTree } from './survey.ts'

const files = {
  // This challenge is imported without edits, but with a warning.
  'pwn/a/challenge.yaml':
    'name: A\nflag: ctf{a}\ndescription: Run it.\nvalue: 100\nsortWeight: 3\ncontainers: { main: { build: ., ports: [5000] } }\nexpose: { main: [{ target: 5000 }] }\n',
  'pwn/a/Dockerfile': 'FROM pwn.red/jail\nCOPY --from=debian / /srv\nCOPY a /srv/app/run\n',
  // This challenge refers to a file that must be built first.
  'misc/b/challenge.yml': 'name: B\ncategory: misc\nvalue: 50\nflags: ["ctf{b}"]\nfiles: [b.zip]\n',
  // This file cannot be read.
  'misc/c/challenge.yml': 'name: "C\nflags: ["ctf{c}"]\n',
  // This challenge has two descriptors.
  'web/d/challenge.yml': 'name: D\ncategory: web\nvalue: 50\nflags: ["ctf{d}"]\n',
  'web/d/challenge.yaml':
    'apiVersion: kctf.dev/v1\nkind: Challenge\nmetadata: { name: d }\nspec: { image: registry.test/d, network: { ports: [{ port: 443, targetPort: 1337, protocol: HTTPS }] } }\n',
  // The description of this challenge is in a file that cannot be read.
  'rev/g/challenge.yaml': 'apiVersion: kctf.dev/v1\nkind: Challenge\nmetadata: { name: g }\nspec: { image: registry.test/g }\n',
  'rev/g/metadata.yaml': 'name: "G\n',
  // This file is not a challenge.
  'web/e/challenge.yaml': 'kind: Other\n',
  'web/f/Dockerfile': 'FROM debian\nRUN make nsjail\n',
}
const survey = surveyTree(createTextTree(files))

describe('the survey of a repository', () => {
  it('counts imports, refusals, and challenges that remain unchanged after an export and an import, for each dialect', () => {
    expect(survey.dialects).toMatchObject([
      { dialect: 'ctfcli', descriptors: 2, imported: 2, withWarnings: 2, unchanged: 1, waiting: 1, changed: 0, refused: [] },
      { dialect: 'rcds', descriptors: 2, imported: 1, withWarnings: 1, unchanged: 1 },
      { dialect: 'kctf', descriptors: 2, imported: 2, unchanged: 2 },
    ])
    expect(survey.dialects.flatMap(({ refused }) => refused)).toEqual([
      { file: 'misc/c/challenge.yml', why: expect.stringContaining('Missing closing "quote') },
    ])
  })

  it('lists files that have the name but not the content of a descriptor', () => {
    expect(survey.passedOver).toEqual(['web/e/challenge.yaml'])
  })

  it('finds every jailed image, and the reason if it cannot be converted', () => {
    expect(survey.jails).toEqual([
      { file: 'pwn/a/Dockerfile', jail: 'pwn.red/jail' },
      { file: 'web/f/Dockerfile', jail: 'nsjail', why: expect.stringContaining('does not contain the start command') },
    ])
  })

  it('the import reports each dropped field', () => {
    expect(survey.dialects.flatMap(({ unnamed }) => unnamed)).toEqual([])
  })

  it('includes a compose file without a descriptor, because the import also includes it', () => {
    const file = 'services: { app: { image: registry.test/x, ports: ["8000:80"], environment: { MODE: hard } } }\n'
    expect(surveyTree(createTextTree({ 'web/x/compose.yaml': file })).dialects).toMatchObject([
      { dialect: 'compose', imported: 1, unnamed: [] },
    ])
  })

  it('prints the share of each result', () => {
    const lines = formatSurvey(survey)
    expect(lines).toContain('jailed Dockerfiles: 2 found, 1 converted (50.0 %), 1 not converted')
    expect(lines.at(-1)).toBe(
      'all: 6 descriptors, 5 imported without edits (83.3 %), 5 unchanged after export and another import (83.3 %); the import drops 0 fields without a report',
    )
  })
})
