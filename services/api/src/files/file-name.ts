const maxLength = 200

/**
 * The name of an uploaded file without folders and control characters, at most 200 code points (the end is kept, for the
 * extension). Names are shown and sent, never used as paths.
 */
export const tidyFileName = (name: string | undefined, fallback = 'file'): string => {
  const base = (name ?? '').split(/[\\/]/).at(-1) ?? ''
  const clean = base.replaceAll(/\p{Cc}/gu, '').trim()
  const short = [...clean].slice(-maxLength).join('')
  return short === '' || short === '.' || short === '..' ? fallback : short
}
