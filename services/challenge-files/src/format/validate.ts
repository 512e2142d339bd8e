import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'

export interface FormatProblem {
  /** As `container.ports[0].port`; empty for the whole. */
  readonly path: string
  readonly message: string
}

/** What keeps a value from being what a schema says; empty if nothing does. */
export const problemsOf = (schema: TSchema, value: unknown): FormatProblem[] =>
  Value.Check(schema, value)
    ? []
    : Value.Errors(schema, value).map(({ instancePath, message }) => ({
        path: instancePath
          .slice(1)
          .replaceAll('/', '.')
          .replace(/\.?\b(\d+)\b/g, '[$1]'),
        message: `It ${message}.`,
      }))
