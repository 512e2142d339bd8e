import { rememberedLanguage } from '../languages.ts'
import { type EarlyTable, loadEarly } from './early-loads.ts'

declare const __EARLY__: EarlyTable

loadEarly(__EARLY__, document.currentScript?.nonce ?? '')

// The first formatter of a browser takes long to make: now there is time, while the files are on their way.
setTimeout(() => new Intl.NumberFormat(rememberedLanguage()).format(0))
