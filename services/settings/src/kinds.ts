/** What the text of a variable can be: how a person is told of it, and what a program makes of it. */
export interface Kind<Value> {
  /** Completes "it must be …". */
  readonly expected: string
  /** Such a value as one would write it. Of a secret: how to make one. */
  readonly example: string
  /** A secret is taken as it is, and the chart takes it from a Secret. Everything else may have blanks around it. */
  readonly isSecret: boolean
  /** Undefined for a text that is not of this kind. */
  parse(text: string): Value | undefined
}

/** A kind of its own. `expected` completes "it must be …". */
export const kind = <Value>(
  expected: string,
  example: string,
  parse: (text: string) => Value | undefined,
  isSecret = false,
): Kind<Value> => ({ expected, example, parse, isSecret })

export const text = (expected: string, example: string): Kind<string> => kind(expected, example, (given) => given)

export const secret = (leastLength = 1): Kind<string> =>
  kind(
    leastLength === 1 ? 'a secret' : `a secret of at least ${leastLength} characters`,
    '$(openssl rand -hex 24)',
    (given) => (given.length >= leastLength ? given : undefined),
    true,
  )

export const integer = (least: number, most: number, example: number, unit = ''): Kind<number> =>
  kind(`a whole number ${unit === '' ? '' : `of ${unit} `}from ${least} to ${most}`, String(example), (given) => {
    const value = Number(given)
    return Number.isInteger(value) && value >= least && value <= most ? value : undefined
  })

export const decimal = (least: number, most: number, example: number): Kind<number> =>
  kind(`a number from ${least} to ${most}`, String(example), (given) => {
    const value = Number(given)
    return value >= least && value <= most ? value : undefined
  })

export const port = (example: number): Kind<number> => integer(0, 65_535, example)

/** Longest time is a day. */
export const milliseconds = (example: number, least = 0): Kind<number> => integer(least, 86_400_000, example, 'milliseconds')

/** In whichever case; read as the option is written here. */
export const oneOf = <const Options extends readonly string[]>(
  options: Options,
  example: Options[number],
): Kind<Options[number]> =>
  kind(`one of ${options.join(', ')}`, example, (given) => options.find((option) => option.toLowerCase() === given.toLowerCase()))

export const onOff = (example: 'on' | 'off'): Kind<boolean> =>
  kind('on or off', example, (given) => {
    if (/^(on|true)$/i.test(given)) return true
    return /^(off|false)$/i.test(given) ? false : undefined
  })

/** Texts with commas between; empty ones do not count. `isEntry` looks at each. */
export const list = (
  expected: string,
  example: string,
  isEntry: (entry: string) => boolean = () => true,
): Kind<readonly string[]> =>
  kind(`${expected} with commas between`, example, (given) => {
    const entries = given
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
    return entries.every(isEntry) ? entries : undefined
  })

/** An address that begins with one of these protocols, `http:`. It may hold a password, and then it is a secret. */
export const url = (protocols: readonly string[], example: string, { isSecret = false } = {}): Kind<string> =>
  kind(
    `an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    example,
    (given) => (protocols.includes(URL.parse(given)?.protocol ?? '') ? given : undefined),
    isSecret,
  )

export const httpUrl = (example: string): Kind<string> => url(['http:', 'https:'], example)

/** Address of a site without a path. */
export const siteOrigin = (example: string): Kind<string> =>
  kind(
    'http:// or https:// and a host without a path: the platform has to be at the root of its host, and a path such as /ctf/ does not work',
    example,
    (given) => {
      const address = URL.parse(given)
      const isOrigin = address !== null && /^https?:$/.test(address.protocol) && address.pathname === '/' && !/[?#@]/.test(given)
      return isOrigin ? given : undefined
    },
  )

/** The first and the last of a row of ports. */
export interface PortRange {
  readonly first: number
  readonly last: number
}

/** `31000-31099`, or a single port. */
export const portRange = (most: number, example: string): Kind<PortRange> =>
  kind(`a port, or the first and the last of at most ${most} with a hyphen between`, example, (given) => {
    const [, first, last] = /^(\d{1,5})(?:\s*-\s*(\d{1,5}))?$/.exec(given) ?? []
    const range = { first: Number(first), last: Number(last ?? first) }
    const count = range.last - range.first + 1
    return range.first >= 1 && range.last <= 65_535 && count >= 1 && count <= most ? range : undefined
  })
