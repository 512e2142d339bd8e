import { readSettings, readSettingsOrExit } from '@capstan/settings/read'
import { liveCheckSettings } from '../settings.ts'
import { checkLiveMessages } from './check.ts'

/**
 * Entry point for `helm test`. The exit code is 0 if messages of the api reach players' sockets. Otherwise the exit
 * code is 1, and the process prints the reason.
 */
async function main(): Promise<void> {
  const { apiUrl, internalToken, siteUrl } = readSettingsOrExit(() =>
    readSettings(process.env, (reader) => reader.read(liveCheckSettings.process)),
  )
  const publish = async (): Promise<string> => {
    const response = await fetch(new URL('/internal/live-check', apiUrl), {
      method: 'POST',
      // Use a new connection for each call, so that the calls may reach different api replicas.
      headers: { authorization: `Bearer ${internalToken}`, connection: 'close' },
      signal: AbortSignal.timeout(10_000),
    })
    if (!response.ok) throw new Error(`The api answered ${response.status}`)
    return ((await response.json()) as { word: string }).word
  }
  await checkLiveMessages({ siteUrl, publish })
  console.log('Live messages reach every connection.')
}

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
