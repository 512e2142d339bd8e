type Note = Readonly<{
  frequency: number
  at: number
}>

/** Two short notes with the interval of a fifth. */
const noticeNotes: readonly Note[] = [
  { frequency: 587.33, at: 0 },
  { frequency: 880, at: 0.14 },
]
/** Rising chord that ends with the octave. */
const bloodNotes: readonly Note[] = [
  { frequency: 440, at: 0 },
  { frequency: 554.37, at: 0.09 },
  { frequency: 659.26, at: 0.18 },
  { frequency: 880, at: 0.3 },
]
const lengthSeconds = 0.32
const loudness = 0.12

let context: AudioContext | undefined

export function playNoticeSound(): Promise<void> {
  return play(noticeNotes)
}

export function playBloodSound(): Promise<void> {
  return play(bloodNotes)
}

/** Plays notes. Does nothing if the browser has no sound or does not allow it yet. */
async function play(notes: readonly Note[]): Promise<void> {
  if (typeof AudioContext === 'undefined') return
  context ??= new AudioContext()
  if (context.state !== 'running') await context.resume()
  for (const { frequency, at } of notes) {
    const from = context.currentTime + at
    const volume = new GainNode(context, { gain: 0 })
    volume.gain.linearRampToValueAtTime(loudness, from + 0.015)
    volume.gain.exponentialRampToValueAtTime(0.0001, from + lengthSeconds)
    const tone = new OscillatorNode(context, { frequency })
    tone.connect(volume).connect(context.destination)
    tone.start(from)
    tone.stop(from + lengthSeconds)
  }
}
