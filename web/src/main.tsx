import { yieldToBrowser } from './lib/breathe.ts'
import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import '@fontsource-variable/saira/wght.css'
import './styles/index.css'
import { StrictMode, startTransition } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router'
import { followNavigation } from './app/follow-router.ts'
import { AppProviders } from './app/providers.tsx'
import { createRouter } from './app/router.tsx'
import { projectPages, writeConsoleBanner } from './lib/build.ts'
import { createPersistentCache } from './lib/cache.ts'
import { shareCspNonce } from './lib/csp.ts'
import { startI18n } from './lib/i18n.ts'
import { waitForStyles } from './lib/styles-arrived.ts'
import { useLanguage } from './stores/language.ts'

writeConsoleBanner((text, ...styles) => console.info(text, ...styles), projectPages)
shareCspNonce()

// `public/first-paint.js` counts the failed attempts to start. This attempt worked, so reset the count.
history.replaceState({ ...(history.state as object | null), bootTries: 0 }, '')

await yieldToBrowser()
const root = document.getElementById('root')
if (!root) throw new Error('The page has no root element')

// The page and its texts load concurrently. The loading indicator of index.html remains until the common texts are loaded.
const texts = startI18n(useLanguage.getState().code)
const router = createRouter()
await Promise.all([texts, waitForStyles()])
followNavigation(router)
// Render in steps. Between two steps, the browser can handle clicks and paint.
startTransition(() =>
  createRoot(root).render(
    <StrictMode>
      <AppProviders cache={createPersistentCache()}>
        <RouterProvider router={router} />
      </AppProviders>
    </StrictMode>,
  ),
)
