import { Component, type ErrorInfo, type ReactNode, useEffect, useMemo } from 'react'
import { I18nextProvider } from 'react-i18next'
import { type Cache, SWRConfig } from 'swr'
import { LiveRegion } from '../components/ui/live-region.tsx'
import { showToast } from '../components/ui/toast.ts'
import { ToastRegion } from '../components/ui/toast-region.tsx'
import { LazyTooltipLayer } from '../components/ui/tooltips.tsx'
import { useConfig } from '../lib/config.ts'
import { i18n, switchLanguage } from '../lib/i18n.ts'
import { createBrandCssProperties } from '../lib/palette.ts'
import { getRefreshRules, isSlowConnection } from '../lib/server-state.ts'
import { resolveColorScheme, useColorScheme } from '../stores/color-scheme.ts'
import { useLanguage } from '../stores/language.ts'
import { getAccentColor, useTheme } from '../stores/theme.ts'
import { ErrorScreen } from './error-screen.tsx'

type ProvidersProps = Readonly<{
  cache: Cache
  children: ReactNode
}>

export function AppProviders({ cache, children }: ProvidersProps) {
  const rules = useMemo(() => ({ ...getRefreshRules(isSlowConnection()), provider: () => cache }), [cache])
  return (
    <I18nextProvider i18n={i18n}>
      <ErrorBoundary>
        <SWRConfig value={rules}>
          <Preferences />
          {children}
          <ToastRegion />
          <LazyTooltipLayer />
          <LiveRegion />
        </SWRConfig>
      </ErrorBoundary>
    </I18nextProvider>
  )
}

function Preferences() {
  const { choice, system, systemChanged } = useColorScheme()
  const { provider, color } = useTheme()
  const code = useLanguage((state) => state.code)
  const { customTheme } = useConfig()
  const scheme = resolveColorScheme({ choice, system })
  const brand = getAccentColor({ provider, color }, customTheme)

  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: light)')
    const tell = () => systemChanged(query.matches ? 'light' : 'dark')
    tell()
    query.addEventListener('change', tell)
    return () => query.removeEventListener('change', tell)
  }, [systemChanged])

  useEffect(() => {
    const root = document.documentElement
    root.dataset.scheme = scheme
    for (const [name, value] of Object.entries(createBrandCssProperties(brand, scheme))) root.style.setProperty(name, value)
    // Read the background color in the next frame. The browser computes the styles for that frame in any case, so reading them
    // costs nothing.
    const frame = requestAnimationFrame(() => {
      const background = getComputedStyle(root).getPropertyValue('--bg')
      document.querySelector('meta[name=theme-color]')?.setAttribute('content', background)
    })
    return () => cancelAnimationFrame(frame)
  }, [scheme, brand])

  useEffect(() => {
    switchLanguage(code).catch(() => showToast({ tone: 'bad', title: i18n.t('language.failed') }))
  }, [code])

  return null
}

type BoundaryState = Readonly<{
  error: unknown
  failed: boolean
}>

class ErrorBoundary extends Component<{ readonly children: ReactNode }, BoundaryState> {
  override state: BoundaryState = { error: undefined, failed: false }

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { error, failed: true }
  }

  override componentDidCatch(error: unknown, info: ErrorInfo): void {
    console.error(error, info.componentStack)
  }

  override render(): ReactNode {
    return this.state.failed ? <ErrorScreen error={this.state.error} /> : this.props.children
  }
}
