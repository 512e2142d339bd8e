import { startTestApp, type TestApp } from '@capstan/api/testing/app'
import { jsonSchemaText, schemaPath } from '@capstan/challenge-files/format/json-schema'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { aFolder, aToken, createAppFetch, runCapstan, type Shell } from './testing/command.ts'

let context: TestApp
let shell: Shell
beforeAll(async () => {
  context = await startTestApp({ exposure: 'Direct' })
  shell = { send: createAppFetch(context), token: await aToken(context) }
})
afterAll(() => context.close())

function challenge(name: string, flag: string, solver: string): string {
  return `apiVersion: capstan/v1
kind: Challenge
name: ${name}
title: ${name}
category: Pwn
description: It speaks.
flags:
  - ${flag}
container:
  image: registry.example.org/${name}:1
  ports:
    - port: 1337
solver:
  command: [sh, -c, '${solver}']
  timeoutSeconds: 20
`
}

function aGame(name: string, ...challenges: [name: string, flag: string, solver: string][]) {
  return aFolder({
    'capstan.yaml': `apiVersion: capstan/v1\nkind: Game\nname: ${name}\ntitle: ${name}\n`,
    ...Object.fromEntries(challenges.map((each) => [`${each[0]}/capstan.yaml`, challenge(...each)])),
  })
}

function live() {
  return context.sql`select id from instances where ended_at is null`
}

describe('the command `capstan test`', () => {
  test('the command passes the address of a test instance to each solver, and then stops the instance', async () => {
    using folder = aGame(
      'solved',
      [
        'oracle',
        'text: flag{it_told_me}',
        'test "$ADDRESS" = "$HOST:$PORT" && test "$PORT" = 1337 && echo "found flag{it_told_me} there"',
      ],
      ['seal', 'template: "flag{sealed_[TEAM_HASH]}"', 'echo flag{sealed_0a1b2c3d4e5f}'],
    )
    expect(await runCapstan(shell, 'apply', folder.root)).toMatchObject({ code: 0 })
    const { code, text } = await runCapstan(shell, 'test', folder.root)
    expect(text).toContain('oracle: solved')
    expect(text).toContain('seal: solved')
    expect(code).toBe(0)
    expect([...(await live())]).toEqual([])
    expect(context.runtime.specs.size).toBe(0)
  })

  test('the command reports the reason if a solver fails, and stops the test instance', async () => {
    using folder = aGame(
      'unsolved',
      ['wrong', 'text: flag{right}', 'echo flag{wrong}'],
      ['broken', 'text: flag{right}', 'exit 3'],
      ['tokenless', 'text: flag{right}', 'test -z "$CAPSTAN_TOKEN" && echo flag{right}'],
    )
    expect(await runCapstan(shell, 'apply', folder.root)).toMatchObject({ code: 0 })
    const { code, text } = await runCapstan(shell, 'test', folder.root)
    expect(code).toBe(1)
    expect(text).toContain('wrong: NOT solved. The output of the solver contains no flag of the challenge.')
    expect(text).toContain('broken: NOT solved. The solver ended with the exit code 3.')
    expect(text).toContain('tokenless: solved')
    expect([...(await live())]).toEqual([])
  })

  test('the command reports a challenge as failed if the test instance does not start', async () => {
    using folder = aGame('dead', ['dead', 'text: flag{right}', 'echo flag{right}'])
    expect(await runCapstan(shell, 'apply', folder.root)).toMatchObject({ code: 0 })
    context.runtime.become(() => ({ kind: 'failed', reason: 'ImagePullFailed', message: 'No such image' }))
    const { code, text } = await runCapstan(shell, 'test', folder.root)
    expect({ code, text }).toMatchObject({ code: 1, text: expect.stringContaining('dead: NOT solved.') })
    expect([...(await live())]).toEqual([])
  })
})

test('the platform serves the JSON schema of capstan.yaml, and permits web editors of every origin to read it', async () => {
  const answer = await context.app.inject({ method: 'GET', url: schemaPath })
  expect(answer.statusCode).toBe(200)
  expect(answer.body).toBe(jsonSchemaText())
  expect(answer.headers).toMatchObject({
    'content-type': 'application/schema+json; charset=utf-8',
    'access-control-allow-origin': '*',
  })
  const again = await context.app.inject({
    method: 'GET',
    url: schemaPath,
    headers: { 'if-none-match': String(answer.headers.etag) },
  })
  expect(again.statusCode).toBe(304)
})
