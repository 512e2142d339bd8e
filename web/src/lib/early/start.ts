import { rememberedLanguage } from '../languages.ts'
import { type EarlyTable, loadEarly } from './early-loads.ts'

declare const __EARLY__: EarlyTable

loadEarly(__EARLY__, document.currentScript?.nonce ?? '')

// The first formatter of a browser is slow to create, so create it while the files load.
setTimeout(() => new Intl.NumberFormat(rememberedLanguage()).format(0))
