import { readOrExit, readSettings } from '@capstan/settings/read'
import { liveCheckSettings } from '../settings.ts'
import { checkLive } from './check.ts'

/** Runs `helm test`. The exit code is 0 if messages of the api reach players' sockets, else 1 with a sentence. */
async function main(): Promise<void> {
  const { apiUrl, internalToken, siteUrl } = readOrExit(() =>
    readSettings(process.env, (reader) => reader.read(liveCheckSettings.process)),
  )
  const publish = async (): Promise<string> => {
    const response = await fetch(new URL('/internal/live-check', apiUrl), {
      method: 'POST',
      // A new connection for each call, so that any replica may get it.
      headers: { authorization: `Bearer ${internalToken}`, connection: 'close' },
      signal: AbortSignal.timeout(10_000),
    })
    if (!response.ok) throw new Error(`The api answered ${response.status}`)
    return ((await response.json()) as { word: string }).word
  }
  await checkLive({ siteUrl, publish })
  console.log('Live messages reach every connection.')
}

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
