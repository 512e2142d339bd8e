/** A team's writeup: its state and the upload. */
export default {
  writeup: {
    title: 'Writeup',
    text: 'Describe how your team solved the challenges, in one PDF. Any member can submit it; a new file replaces the old one.',
    instructions: 'Instructions from the organizers',
    submitted: 'Submitted',
    missing: 'Not submitted yet',
    file: 'File',
    deadline: 'Deadline',
    left: 'left',
    deadlineUnknown: 'Set by the organizers. Late files are refused.',
    over: 'Submission deadline has passed',
    overMissing: 'No writeup was submitted. Ask the organizers if you still need to.',
    drop: 'Drop a PDF here, or choose one',
    replace: 'Drop a new PDF here to replace it, or choose one',
    hint: 'One PDF under 20 MB',
    unfit: 'Failed to load file. Please check file format and size',
    sending: 'Uploading {{name}}',
    cancel: 'Cancel',
    done: 'Writeup submitted',
    failed: 'Could not load the status of your writeup',
  },
} as const
