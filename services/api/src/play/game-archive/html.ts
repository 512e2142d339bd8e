import { escapeHtml } from '@capstan/http/escape-html'

/** HTML that is safe to insert into a page. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Insertable = string | number | Html | readonly Html[]

function inserted(value: Insertable): string {
  if (value instanceof Html) return value.text
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value))
  return value.map(({ text }) => text).join('')
}

/** Returns HTML from a template. Inserted text is escaped. */
export function html(parts: TemplateStringsArray, ...values: Insertable[]): Html {
  return new Html(parts.map((part, index) => part + (index < values.length ? inserted(values[index] ?? '') : '')).join(''))
}
