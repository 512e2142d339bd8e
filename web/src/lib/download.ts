import { openFile, TransportError } from './http.ts'

/** Maximum size of a file that the page downloads itself, in bytes. The browser saves larger files and files of unknown size. */
const maxBytesInPage = 8 * 1024 * 1024

/** Returns the file name in a response (RFC 6266). */
export function parseFileNameHeader(disposition: string | null): string {
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(disposition ?? '')?.[1]
  const plain = /filename="([^"]*)"/i.exec(disposition ?? '')?.[1]
  return extended === undefined ? (plain ?? '') : decodeURIComponent(extended)
}

function save(address: string, name: string) {
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
}

export function saveBlob(content: Blob, name: string): void {
  const address = URL.createObjectURL(content)
  save(address, name)
  // After this time, the browser has started to read the blob.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

async function saveContent(response: Response, name: string) {
  const content = await response.blob().catch((cause) => {
    throw new TransportError('network', 'Network Error', { cause })
  })
  saveBlob(content, name || parseFileNameHeader(response.headers.get('Content-Disposition')))
}

/**
 * Saves a file of this site.
 * @param name file name, or an empty text to use the name from the server
 * @throws `ApiError` or `TransportError` if the file is refused or missing, or if the download of a small file is interrupted
 */
export async function downloadSiteFile(address: string, name: string): Promise<void> {
  const asking = new AbortController()
  const response = await openFile(address, asking.signal)
  const size = response.headers.get('Content-Length')
  if (size !== null && Number(size) <= maxBytesInPage) return saveContent(response, name)
  asking.abort()
  save(address, name)
}

/**
 * Saves the file that a POST call returns. The page itself downloads the file, because links cannot send POST. Throws like
 * `download`.
 */
export async function downloadPostResponse(address: string): Promise<void> {
  await saveContent(await openFile(address, new AbortController().signal, 'POST'), '')
}
