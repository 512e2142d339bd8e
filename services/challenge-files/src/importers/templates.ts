import type { Fields } from './fields.ts'

/** Templates with placeholders for values that are known only while a challenge runs, such as its address. */

const instanceAddress = '[address of your instance]'

/** Matches `{{ nc }}` of Jinja, `${nc_main_0}` of other tools, and `{instancer:name}` in links. */
const placeholder = /\{\{([^{}]{1,256})\}\}|\$\{((?:nc|link|url|host|port)(?:_[\w-]{1,64})?)\}|\{(instancer(?::[^{}]{1,128})?)\}/g
const linkToPlaceholder =
  /\[([^[\]]{1,256})\]\((?:\{\{[^{}]{1,256}\}\}|\$\{(?:link|url|host)(?:_[\w-]{1,64})?\}|\{instancer(?::[^{}]{1,128})?\})\)/g
const address =
  /^(?:(?:nc|link|url|host|ip|port)(?:_[\w-]{1,64})?|instancer(?::.{1,128})?|adminbot|challenge\.expose\b.{0,200}|config\.domains\b.{0,200}|[\w-]{1,64}\.(?:nc|link|url|host|port))$/i
const own = /^challenge\.(\w{1,64})$/
/** Comments are only for authors, and text in `raw` is not changed. */
const comment = /\{#[^#]{0,2048}#\}/g
const raw = /\{%-? ?raw ?-?%\}([^%]{0,8192})\{%-? ?endraw ?-?%\}/g

/** Matches two replaced placeholders that belong to one address, as in `nc {{ host }} {{ port }}`. */
const twice = /\[address of your instance\][ :]\[address of your instance\]/g

/** Returns the text between the braces of a placeholder. Templates of Go write a dot before a name. */
function expressionOf(inner = ''): string {
  return inner.trim().replace(/^\.(?=\w)/, '')
}

/**
 * Replaces the placeholders for an address, such as `{{ .host }}`, in a text that is otherwise no template. Some tools replace
 * these placeholders before they upload the text.
 */
export function convertAddresses(fields: Fields, key: string, text: string): string {
  const plain = text
    .replace(placeholder, (written: string, jinja?: string) => (address.test(expressionOf(jinja)) ? instanceAddress : written))
    .replace(twice, instanceAddress)
  if (plain !== text) fields.note(key, 'converted', 'Players see the address of their instance next to the description.')
  return plain
}

/**
 * Converts a template to text for players. Placeholders for an address are replaced by words for the address of the player's
 * instance.
 * @param fieldOf returns a field of the same descriptor, for `{{ challenge.name }}`
 */
export function convertTemplate(fields: Fields, key: string, text: string, fieldOf: (name: string) => unknown): string {
  const unknown = new Set<string>()
  const verbatims: string[] = []
  /** Put aside raw text, because braces in raw text are not placeholders. */
  const aside = text.replace(raw, (_, verbatim: string) => `\0${verbatims.push(verbatim) - 1}\0`)
  const plain = aside
    .replace(comment, '')
    .replace(linkToPlaceholder, (_, label: string) => label)
    .replace(placeholder, (written: string, jinja?: string, shell?: string, instancer?: string) => {
      const expression = expressionOf(jinja ?? shell ?? instancer)
      const name = own.exec(expression)?.[1]
      const value = name === undefined ? undefined : fieldOf(name)
      if (typeof value === 'string' || typeof value === 'number') return String(value)
      if (/^nc(?:_|$)|\.nc$/.test(expression)) return `nc ${instanceAddress}`
      if (address.test(expression)) return instanceAddress
      unknown.add(written)
      return written
    })
    .replace(twice, instanceAddress)
    .replace(/\0(\d{1,6})\0/g, (_, index: string) => verbatims[Number(index)] ?? '')
  for (const written of unknown)
    fields.note(
      key,
      'converted',
      `\`${written}\` is unknown and is not replaced.`,
      'Replace it with the text that players should see.',
    )
  if (plain !== text && plain.includes(instanceAddress))
    fields.note(key, 'converted', 'Players see the address of their instance next to the description.')
  else if (plain !== text && unknown.size === 0) fields.note(key, 'converted', 'The template is replaced by its text.')
  return plain
}
