/** A team's writeup: its state and the upload. */
export default {
  writeup: {
    title: 'Writeup',
    text: 'Describe en un solo PDF cómo ha resuelto los retos tu equipo. Cualquier miembro puede entregarlo; un archivo nuevo sustituye al anterior.',
    instructions: 'Instrucciones de la organización',
    submitted: 'Entregado',
    missing: 'Sin entregar todavía',
    file: 'Archivo',
    deadline: 'Plazo',
    left: 'restante',
    deadlineUnknown: 'Lo fija la organización. Los archivos que llegan tarde se rechazan.',
    over: 'El plazo de entrega ha terminado',
    overMissing: 'No se ha entregado ningún writeup. Pregunta a la organización si aún hace falta.',
    drop: 'Suelta un PDF aquí o elige uno',
    replace: 'Suelta aquí un PDF nuevo para sustituirlo o elige uno',
    hint: 'Un PDF de menos de 20 MB',
    unfit: 'No se ha podido cargar el archivo. Revisa su formato y su tamaño',
    sending: 'Subiendo {{name}}',
    cancel: 'Cancelar',
    done: 'Writeup entregado',
    failed: 'No se ha podido cargar el estado de tu writeup',
  },
} as const
