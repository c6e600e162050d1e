throw 'text' // eslint-disable-line no-throw-literal
