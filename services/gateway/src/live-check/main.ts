import { checkLive } from './check.ts'

/** `helm test`: exit code 0 where messages of the api reach players' sockets, else 1 and a sentence. */
async function main(env: NodeJS.ProcessEnv): Promise<void> {
  const say = async (): Promise<string> => {
    const response = await fetch(new URL('/internal/live-check', env.CAPSTAN_API_URL), {
      method: 'POST',
      // A connection of its own for each call, so that any replica may get it.
      headers: { authorization: `Bearer ${env.CAPSTAN_INTERNAL_TOKEN}`, connection: 'close' },
      signal: AbortSignal.timeout(10_000),
    })
    if (!response.ok) throw new Error(`The api answered ${response.status}`)
    return ((await response.json()) as { word: string }).word
  }
  await checkLive({ siteUrl: env.CAPSTAN_SITE_URL ?? '', say })
  console.log('Live messages reach every connection.')
}

try {
  await main(process.env)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
