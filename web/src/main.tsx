import { yieldToBrowser } from './lib/breathe.ts'
import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import '@fontsource-variable/saira/wght.css'
import './styles/index.css'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router'
import { followRouter } from './app/follow-router.ts'
import { Providers } from './app/providers.tsx'
import { createRouter } from './app/router.tsx'
import { projectPages, writeBanner } from './lib/build.ts'
import { createPersistentCache } from './lib/cache.ts'
import { shareNonce } from './lib/csp.ts'
import { startI18n } from './lib/i18n.ts'
import { whenStylesLoaded } from './lib/styles-arrived.ts'
import { useLanguage } from './stores/language.ts'

writeBanner((text, ...styles) => console.info(text, ...styles), projectPages)
shareNonce()

// `public/first-paint.js` counts the failed attempts to start. This attempt worked, so reset the count.
history.replaceState({ ...(history.state as object | null), bootTries: 0 }, '')

await yieldToBrowser()
const root = document.getElementById('root')
if (!root) throw new Error('The page has no root element')

// The page and its texts load concurrently. The loading indicator of index.html remains until the common texts are loaded.
const texts = startI18n(useLanguage.getState().code)
const router = createRouter()
await Promise.all([texts, whenStylesLoaded()])
followRouter(router)
// Render in steps. Between two steps, the browser can handle clicks and paint.
startTransition(() =>
  createRoot(root).render(
    <StrictMode>
      <Providers cache={createPersistentCache()}>
        <RouterProvider router={router} />
      </Providers>
    </StrictMode>,
  ),
)
