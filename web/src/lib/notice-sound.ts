/** Two short notes, a fifth apart: frequency in hertz, begin in seconds. */
const notes = [
  { frequency: 587.33, at: 0 },
  { frequency: 880, at: 0.14 },
] as const
const lengthSeconds = 0.32
const loudness = 0.12

let context: AudioContext | undefined

/** Plays the sound of a notice. Silent where the browser has no sound or does not allow it yet. */
export async function playNoticeSound(): Promise<void> {
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
