import { gunzipSync } from 'node:zlib'
import { extract } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestClient, startTestApp, type TestApp, type TestClient } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aCapture, aChallenge, aParticipation } from '../../testing/organizing-factories.ts'
import { aPcap } from './testing/pcap.ts'
import { readPcapng } from './testing/pcapng.ts'

let context: TestApp
let monitor: TestClient
beforeAll(async () => {
  context = await startTestApp()
  monitor = (await signInAsNewUser(context, 'Monitor')).client
})
afterAll(() => context.close())

const updatedAt = new Date('2030-01-01T00:00:00Z')

/** Creates a challenge with captures of one team. @param files map from the name of a file to its content */
async function captured(files: Record<string, string | Buffer>) {
  const challenge = await aChallenge(context.db, { type: 'StaticContainer', capture: true, title: 'Sniffed' })
  const participation = await aParticipation(context.db, { gameId: challenge.gameId, division: 'open' })
  for (const [fileName, content] of Object.entries(files)) {
    const place = { challengeId: challenge.id, participationId: participation.id, fileName }
    await aCapture(context.db, { ...place, sizeBytes: content.length, updatedAt })
    context.blobs.contents.set(`captures/${challenge.id}/${participation.id}/${fileName}`, Buffer.from(content))
  }
  return { challenge, participation, url: `/api/game/captures/${challenge.id}/${participation.id}` }
}

describe('lists of captures', () => {
  test('the lists show challenges with traffic recording, the teams of a challenge, and the files of a team', async () => {
    const { challenge, participation, url } = await captured({ 'b.pcap': 'bb', 'a.pcap': 'a' })
    await aChallenge(context.db, { gameId: challenge.gameId })
    expect((await monitor.get(`/api/game/games/${challenge.gameId}/captures`)).json()).toEqual([
      { id: challenge.id, title: 'Sniffed', category: 'Misc', type: 'StaticContainer', isEnabled: true, count: 1 },
    ])
    expect((await monitor.get(`/api/game/captures/${challenge.id}`)).json()).toEqual([
      {
        id: participation.id,
        teamId: participation.teamId,
        name: participation.team.name,
        organization: 'open',
        division: 'open',
        avatar: null,
        count: 2,
      },
    ])
    expect((await monitor.get(url)).json()).toEqual([
      { fileName: 'a.pcap', size: 1, updateTime: '2030-01-01T00:00:00.000Z' },
      { fileName: 'b.pcap', size: 2, updateTime: '2030-01-01T00:00:00.000Z' },
    ])
  })

  test('the list of files contains the packet count and the container of each file, or null if they are unknown', async () => {
    const { challenge, participation, url } = await captured({ 'b.pcap': 'bb' })
    const ofDb = '0a1b2c3d-20300101T000000Z-1-0000-db.pcap'
    const place = { challengeId: challenge.id, participationId: participation.id }
    await aCapture(context.db, { ...place, fileName: 'a.pcap', sizeBytes: 9, packets: 6_000_000_000, updatedAt })
    await aCapture(context.db, { ...place, fileName: ofDb, sizeBytes: 3, packets: 1, updatedAt })
    const updateTime = '2030-01-01T00:00:00.000Z'
    expect((await monitor.get(`${url}/counted`)).json()).toEqual([
      { fileName: ofDb, size: 3, updateTime, packets: 1, container: 'db' },
      { fileName: 'a.pcap', size: 9, updateTime, packets: 6_000_000_000, container: null },
      { fileName: 'b.pcap', size: 2, updateTime, packets: null, container: null },
    ])
  })

  test('without captures, the lists of challenges and files are empty, and the list of teams returns 404', async () => {
    const { challenge, url } = await captured({})
    expect((await monitor.get('/api/game/games/999999/captures')).json()).toEqual([])
    expect((await monitor.get(`/api/game/games/${challenge.gameId}/captures`)).json()[0].count).toBe(0)
    expect((await monitor.get(`/api/game/captures/${challenge.id}`)).json().code).toBe('capture.unknown')
    expect((await monitor.get(url)).json()).toEqual([])
    expect((await monitor.get(`${url}/counted`)).json()).toEqual([])
  })
})

describe('downloads of captures', () => {
  test('a download sends one capture as a file', async () => {
    const { url } = await captured({ '0a1b2c3d-conn.pcap': 'packets' })
    const response = await monitor.get(`${url}/0a1b2c3d-conn.pcap`)
    expect([response.statusCode, response.body]).toEqual([200, 'packets'])
    expect(response.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '7',
      'content-disposition': 'attachment; filename="0a1b2c3d-conn.pcap"',
    })
  })

  test('a download sends all captures as one archive that contains a single folder', async () => {
    const { challenge, participation, url } = await captured({ 'a.pcap': 'first', 'b.pcap': 'second' })
    const response = await monitor.get(`${url}/all`)
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/gzip'])
    const [, base] = /filename="(.*)\.tar\.gz"/.exec(String(response.headers['content-disposition']))!
    expect(base).toMatch(new RegExp(`^Capture-${challenge.id}-${participation.id}-\\d{8}-\\d\\d\\.\\d\\d\\.\\d\\dZ$`))
    const archive = extract()
    archive.end(gunzipSync(response.rawPayload))
    const found: string[] = []
    for await (const entry of archive) {
      const content = Buffer.concat(await Array.fromAsync(entry, (chunk) => Buffer.from(chunk as Buffer))).toString()
      found.push(`${entry.header.name}=${content}`)
    }
    expect(found).toEqual([`${base}/a.pcap=first`, `${base}/b.pcap=second`])
  })

  describe('downloads from several containers', () => {
    const second = 1_000_000n
    const frames = (texts: readonly string[], seconds: readonly bigint[]) =>
      aPcap(texts, { times: seconds.map((each) => each * second) })
    const files = {
      'ffffffff-20300101T000000Z-1-0000-page.pcap': frames(['page 1', 'page 3'], [1n, 3n]),
      '00000000-20300101T000004Z-2-0000-page.pcap': frames(['page 5'], [5n]),
      'ffffffff-20300101T000000Z-1-0000-db.pcap': frames(['db 2', 'db 4'], [2n, 4n]),
    }

    test('a merged file contains the packets of all containers sorted by time', async () => {
      const { challenge, participation, url } = await captured(files)
      const response = await monitor.get(`${url}/merged`)
      expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'application/octet-stream'])
      expect(response.headers['content-disposition']).toMatch(
        new RegExp(`filename="Capture-${challenge.id}-${participation.id}-.*Z\\.pcapng"`),
      )
      expect(readPcapng(response.rawPayload).map(({ interfaceName, text }) => [interfaceName, text])).toEqual([
        ['page', 'page 1'],
        ['db', 'db 2'],
        ['page', 'page 3'],
        ['db', 'db 4'],
        ['page', 'page 5'],
      ])
    })

    test('a merged file can contain only the packets of one container', async () => {
      const { url } = await captured(files)
      const response = await monitor.get(`${url}/merged?container=db`)
      expect(response.headers['content-disposition']).toContain('-db.pcapng')
      expect(readPcapng(response.rawPayload).map(({ text }) => text)).toEqual(['db 2', 'db 4'])
    })

    test('a merged file has the container name `main` if the names of the captured files contain no container', async () => {
      const { url } = await captured({ 'a.pcap': frames(['one'], [1n]) })
      const answers = await Promise.all(['', '?container=main'].map((query) => monitor.get(`${url}/merged${query}`)))
      for (const { rawPayload } of answers) expect(readPcapng(rawPayload)).toMatchObject([{ interfaceName: 'main', text: 'one' }])
    })

    test('a merged file returns 404 if there are no captured files, or if the container is unknown', async () => {
      const [none, some] = [await captured({}), await captured(files)]
      for (const url of [`${none.url}/merged`, `${some.url}/merged?container=other`])
        expect((await monitor.get(url)).json().code).toBe('capture.unknown')
    })
  })

  test.each(['missing.pcap', '..%2f..%2fsecret', '%2fetc%2fpasswd', '..%5csecret', 'a.pcap%2f'])(
    'a download returns 404 for the file name %s',
    async (name) => {
      const { url } = await captured({ 'a.pcap': 'x' })
      context.blobs.contents.set('secret', Buffer.from('never'))
      const [read, removed] = [await monitor.get(`${url}/${name}`), await monitor.delete(`${url}/${name}`)]
      expect([read.statusCode, removed.statusCode]).toEqual([404, 404])
      expect(context.blobs.contents.has('secret')).toBe(true)
    },
  )
})

describe('deletions of captures', () => {
  test('a deletion removes one capture and its content', async () => {
    const { challenge, participation, url } = await captured({ 'a.pcap': 'x', 'b.pcap': 'y' })
    expect((await monitor.delete(`${url}/a.pcap`)).statusCode).toBe(200)
    expect((await monitor.get(url)).json()).toHaveLength(1)
    const key = (name: string) => `captures/${challenge.id}/${participation.id}/${name}`
    expect([context.blobs.contents.has(key('a.pcap')), context.blobs.contents.has(key('b.pcap'))]).toEqual([false, true])
    expect((await monitor.delete(`${url}/a.pcap`)).json().code).toBe('capture.unknown')
    const [{ name }] = (await monitor.get(`/api/game/captures/${challenge.id}`)).json()
    expect(context.logLines.map(({ message }) => message)).toContain(`Deleted a capture of "Sniffed" by team "${name}"`)
  })

  test('a deletion removes all captures, and succeeds even if there are none', async () => {
    const { url } = await captured({ 'a.pcap': 'x', 'b.pcap': 'y' })
    const other = await captured({ 'c.pcap': 'z' })
    expect((await monitor.delete(`${url}/all`)).statusCode).toBe(200)
    expect((await monitor.get(url)).json()).toEqual([])
    expect((await monitor.delete(`${url}/all`)).statusCode).toBe(200)
    expect((await monitor.get(other.url)).json()).toHaveLength(1)
  })
})

test.each([
  ['a visitor', undefined, 401],
  ['a user', 'User', 403],
] as const)('refuses %s in all calls about captures', async (_who, role, status) => {
  const client = role ? (await signInAsNewUser(context, role)).client : createTestClient(context.app)
  const { challenge, url } = await captured({ 'a.pcap': 'x' })
  const answers = await Promise.all([
    client.get(`/api/game/games/${challenge.gameId}/captures`),
    client.get(`/api/game/captures/${challenge.id}`),
    client.get(url),
    client.get(`${url}/counted`),
    client.get(`${url}/all`),
    client.get(`${url}/merged`),
    client.delete(`${url}/all`),
    client.get(`${url}/a.pcap`),
    client.delete(`${url}/a.pcap`),
  ])
  expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => status))
})
