import { type RenderResult, render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { I18nextProvider } from 'react-i18next'
import { createMemoryRouter, RouterProvider } from 'react-router'
import { SWRConfig } from 'swr'
import { TooltipLayer } from '../components/ui/tooltip-layer.tsx'
import { type Area, i18n, loadTextsOfAreas, startI18n } from '../lib/i18n.ts'

type ShowOptions = Readonly<{
  at?: string
  /** Path pattern of the route that shows the content. All other routes show only a placeholder. */
  pattern?: string
  /** Areas of the text catalog that the content needs, in addition to `common`. */
  areas?: readonly Area[]
}>

function Elsewhere({ address }: { readonly address: string }) {
  return <p>at {address}</p>
}

/** Renders content inside the providers of the application, with texts, a router and an empty cache. */
export async function renderInApp(
  content: ReactNode,
  { at = '/', pattern = '/', areas = [] }: ShowOptions = {},
): Promise<RenderResult & { address: () => string }> {
  if (!i18n.isInitialized) await startI18n('en-US')
  await loadTextsOfAreas(areas)
  const router = createMemoryRouter(
    [
      { path: pattern, element: content },
      { path: '*', element: <Elsewhere address="another page" /> },
    ],
    {
      initialEntries: [at],
    },
  )
  const result = render(
    <I18nextProvider i18n={i18n}>
      <SWRConfig value={{ provider: () => new Map(), dedupingInterval: 0, refreshInterval: 0, shouldRetryOnError: false }}>
        <RouterProvider router={router} />
        <TooltipLayer />
      </SWRConfig>
    </I18nextProvider>,
  )
  return { ...result, address: () => `${router.state.location.pathname}${router.state.location.search}` }
}
