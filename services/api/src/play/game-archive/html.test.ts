import { expect, test } from 'vitest'
import { html } from './html.ts'

test('an HTML template escapes inserted text, but not inserted HTML', () => {
  const inner = html`<b>${`<&>"'`}</b>`
  expect(html`<p title="${'"x'}">${[inner, inner]}${1}</p>`.text).toBe(
    '<p title="&quot;x"><b>&lt;&amp;&gt;&quot;&#39;</b><b>&lt;&amp;&gt;&quot;&#39;</b>1</p>',
  )
})
