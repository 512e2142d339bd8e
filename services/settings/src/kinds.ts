/** Kind of value that an environment variable has, with a description for people and a parser. */
export type Kind<Value> = Readonly<{
  /** Text that completes "it must be …". */
  expected: string
  /** Example value, as an operator writes it. For a secret, the command that creates a secret. */
  example: string
  /**
   * True for a secret. The chart reads a secret from a Kubernetes Secret. Blanks at the start and the end of a secret
   * are retained, but other values are trimmed.
   */
  isSecret: boolean
  /**
   * Parses the text of a value.
   * @returns undefined if the text is not valid
   */
  parse(text: string): Value | undefined
}>

/** Creates a kind from its parser. `expected` completes "it must be …". */
export function createSettingKind<Value>(
  expected: string,
  example: string,
  parse: (text: string) => Value | undefined,
  isSecret = false,
): Kind<Value> {
  return { expected, example, parse, isSecret }
}

export function text(expected: string, example: string): Kind<string> {
  return createSettingKind(expected, example, (given) => given)
}

export function secret(minLength = 1): Kind<string> {
  return createSettingKind(
    minLength === 1 ? 'a secret' : `a secret of at least ${minLength} characters`,
    '$(openssl rand -hex 24)',
    (given) => (given.length >= minLength ? given : undefined),
    true,
  )
}

export function integer(min: number, max: number, example: number, unit = ''): Kind<number> {
  return createSettingKind(
    `a whole number ${unit === '' ? '' : `of ${unit} `}from ${min} to ${max}`,
    String(example),
    (given) => {
      const value = Number(given)
      return Number.isInteger(value) && value >= min && value <= max ? value : undefined
    },
  )
}

export function decimal(min: number, max: number, example: number): Kind<number> {
  return createSettingKind(`a number from ${min} to ${max}`, String(example), (given) => {
    const value = Number(given)
    return value >= min && value <= max ? value : undefined
  })
}

export function portKind(example: number): Kind<number> {
  return integer(0, 65_535, example)
}

export function milliseconds(example: number, min = 0): Kind<number> {
  return integer(min, 86_400_000, example, 'milliseconds')
}

/**
 * Returns the kind of a setting that accepts one of the options, in upper or lower case. The parsed value has the spelling in
 * `options`.
 */
export function oneOf<const Options extends readonly string[]>(
  options: Options,
  example: Options[number],
): Kind<Options[number]> {
  return createSettingKind(`one of ${options.join(', ')}`, example, (given) =>
    options.find((option) => option.toLowerCase() === given.toLowerCase()),
  )
}

export function onOff(example: 'on' | 'off'): Kind<boolean> {
  return createSettingKind('on or off', example, (given) => {
    if (/^(on|true)$/i.test(given)) return true
    return /^(off|false)$/i.test(given) ? false : undefined
  })
}

/** Returns the kind of a setting whose value is a comma-separated list. `isEntry` checks each entry. Empty entries are dropped. */
export function list(
  expected: string,
  example: string,
  isEntry: (entry: string) => boolean = () => true,
): Kind<readonly string[]> {
  return createSettingKind(`${expected}, separated by commas`, example, (given) => {
    const entries = given
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
    return entries.every(isEntry) ? entries : undefined
  })
}

/**
 * Returns the kind of a setting that accepts URLs with one of these protocols, such as `http:`. With `isSecret`, the URL may
 * contain a password.
 */
export function url(protocols: readonly string[], example: string, { isSecret = false } = {}): Kind<string> {
  return createSettingKind(
    `an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    example,
    (given) => (protocols.includes(URL.parse(given)?.protocol ?? '') ? given : undefined),
    isSecret,
  )
}

export function httpUrl(example: string): Kind<string> {
  return url(['http:', 'https:'], example)
}

/** Kind of setting for the origin of a website: a URL without a path. */
export function siteOrigin(example: string): Kind<string> {
  return createSettingKind(
    'http:// or https:// and a host without a path: the platform must be at the root of its host, and a path such as /ctf/ does not work',
    example,
    (given) => {
      const address = URL.parse(given)
      const isOrigin = address !== null && /^https?:$/.test(address.protocol) && address.pathname === '/' && !/[?#@]/.test(given)
      return isOrigin ? given : undefined
    },
  )
}

export type PortRange = Readonly<{
  first: number
  last: number
}>

/** Kind of setting for a port range such as `31000-31099`, or for a single port. */
export function portRange(max: number, example: string): Kind<PortRange> {
  return createSettingKind(`a port, or a range of at most ${max} ports with a hyphen`, example, (given) => {
    const [, first, last] = /^(\d{1,5})(?:\s*-\s*(\d{1,5}))?$/.exec(given) ?? []
    const range = { first: Number(first), last: Number(last ?? first) }
    const count = range.last - range.first + 1
    return range.first >= 1 && range.last <= 65_535 && count >= 1 && count <= max ? range : undefined
  })
}
