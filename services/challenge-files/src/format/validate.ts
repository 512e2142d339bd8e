import type { TSchema } from 'typebox'
import type { TLocalizedValidationError } from 'typebox/error'
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
    : Value.Errors(schema, value)
        // Each member that is too many has an error of its own, at its own place.
        .filter(({ keyword }) => keyword !== 'additionalProperties')
        .map((error) => ({
          path: error.instancePath
            .slice(1)
            .replaceAll('/', '.')
            .replace(/\.?\b(\d+)\b/g, '[$1]'),
          message: sentenceOf(error),
        }))

/** In words that help an author, where those of the validator speak of schemas. */
function sentenceOf(error: TLocalizedValidationError): string {
  switch (error.keyword) {
    case 'boolean':
      return 'There is no such field.'
    case 'enum':
      return `It must be one of ${error.params.allowedValues.join(', ')}.`
    case 'required':
      return `It lacks ${error.params.requiredProperties.join(', ')}.`
    default:
      return `It ${error.message}.`
  }
}
