import { useEffect, useState } from 'react'
import { openFile } from './http.ts'

type PdfState =
  | { readonly state: 'loading' }
  | Readonly<{ state: 'ready'; address: string }>
  | Readonly<{ state: 'failed'; error: unknown }>

/**
 * Returns the blob URL of a stored PDF, for display in a frame. A frame cannot show the stored file itself, because the server
 * sends files as attachments. The fixed MIME type ensures that only a PDF viewer opens the file.
 * @param round number of the attempt. A new number reads the file again
 */
export function usePdfBlobUrl(url: string, round: number): PdfState {
  const [pdf, setPdf] = useState<PdfState>({ state: 'loading' })
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round reads the file again
  useEffect(() => {
    const leaving = new AbortController()
    let address: string | undefined
    setPdf({ state: 'loading' })
    const load = async () => {
      const bytes = await (await openFile(url, leaving.signal)).arrayBuffer()
      if (leaving.signal.aborted) return
      address = URL.createObjectURL(new Blob([bytes], { type: 'application/pdf' }))
      setPdf({ state: 'ready', address })
    }
    load().catch((error: unknown) => !leaving.signal.aborted && setPdf({ state: 'failed', error }))
    return () => {
      leaving.abort()
      if (address) URL.revokeObjectURL(address)
    }
  }, [url, round])
  return pdf
}
