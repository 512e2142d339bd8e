import type { ChallengeCategory } from '@capstan/contract/challenges'
import {
  Binary,
  Blocks,
  Braces,
  BrainCircuit,
  Bug,
  Crosshair,
  Fingerprint,
  Globe,
  KeyRound,
  type LucideIcon,
  Microchip,
  Puzzle,
  Smartphone,
  Telescope,
} from 'lucide-react'

/** Icon of each category. The attribute `data-category` of an outer element sets its color. */
export const categoryIcons: Readonly<Record<ChallengeCategory, LucideIcon>> = {
  Misc: Puzzle,
  Crypto: KeyRound,
  Pwn: Bug,
  Web: Globe,
  Reverse: Binary,
  Blockchain: Blocks,
  Forensics: Fingerprint,
  Hardware: Microchip,
  Mobile: Smartphone,
  PPC: Braces,
  AI: BrainCircuit,
  Pentest: Crosshair,
  OSINT: Telescope,
}

export const categories = Object.keys(categoryIcons) as ChallengeCategory[]
