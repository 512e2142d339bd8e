/** Maximum time until the response to the request arrives, in ms. */
const timeoutMs = 2_000

/** True if the response to a request has a status from 200 to 399. */
export async function respondsAtPath(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) })
    await answer.body?.cancel()
    return answer.status >= 200 && answer.status < 400
  } catch {
    return false
  }
}
