//! Which file holds which class.

use std::path::Path;

use crate::space::Class;

/// The extension of table files.
pub const EXTENSION: &str = "mora";

/// The extension of tables that are only kept until everything built on them exists.
const LAYER_EXTENSION: &str = "layer";

/// The name of the file that holds a class: `4-3.mora`.
pub fn file_name(class: Class) -> String {
    format!("{class}.{EXTENSION}")
}

/// The class in a file's name; `None` if this is not the [name](file_name) of a table.
///
/// ```
/// use morabase::store::{class_of_file, file_name};
/// let class = class_of_file("tables/4-3.mora".as_ref()).expect("the name of a table");
/// assert_eq!(file_name(class), "4-3.mora");
/// assert_eq!(class_of_file("04-3.mora".as_ref()), None);
/// ```
pub fn class_of_file(file: &Path) -> Option<Class> {
    let class = file.file_stem()?.to_str()?.parse().ok()?;
    (file.file_name()?.to_str()? == file_name(class)).then_some(class)
}

/// The name of the file that holds a class with cows in hand while the classes that depend on it are built, if it is
/// not to be kept: `4-3+1-0.layer`.
pub(crate) fn layer_file_name(class: Class) -> String {
    format!("{class}.{LAYER_EXTENSION}")
}

/// The class with this [`layer_file_name`].
pub(super) fn class_of_layer(file: &Path) -> Option<Class> {
    let class: Class = file.file_stem()?.to_str()?.parse().ok()?;
    (class.has_hands() && file.file_name()?.to_str()? == layer_file_name(class)).then_some(class)
}

/// The class of a temporary file with this name: `4-3.mora.PROCESS-NUMBER.tmp`.
pub(super) fn class_of_temporary(name: &str) -> Option<Class> {
    let (class, rest) = name.strip_suffix(".tmp")?.split_once('.')?;
    let rest = rest.strip_prefix(EXTENSION).or_else(|| rest.strip_prefix(LAYER_EXTENSION))?;
    rest.starts_with('.').then(|| class.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_one_name_and_other_names_have_no_class() {
        let placing = ["0-0+12-12", "2-3+1-1", "3-3+1-0"].map(|text| text.parse().unwrap());
        for class in Class::all_moving(12).into_iter().chain(placing) {
            assert_eq!(class_of_file(Path::new(&file_name(class))), Some(class));
        }
        for class in placing {
            assert_eq!(class_of_layer(Path::new(&layer_file_name(class))), Some(class));
        }
        for name in ["4-3.layer", "4-3+1-0.mora", "x.layer", "04-3+1-0.layer"] {
            assert_eq!(class_of_layer(Path::new(name)), None, "{name}");
        }
        for name in ["4-3", "4-3.raw", "4-3.MORA", "04-3.mora", "4-3+0-0.mora", "13-3.mora", "x.mora", ".mora", ""] {
            assert_eq!(class_of_file(Path::new(name)), None, "{name}");
        }
    }

    #[test]
    fn only_temporary_files_of_tables_are_leftovers() {
        for (name, class) in [
            ("4-3.mora.17-0.tmp", "4-3"),
            ("12-11.mora.1-22.tmp", "12-11"),
            ("2-3+1-1.mora.1-0.tmp", "2-3+1-1"),
            ("2-3+1-1.layer.1-0.tmp", "2-3+1-1"),
        ] {
            assert_eq!(class_of_temporary(name).map(|class| class.to_string()).as_deref(), Some(class));
        }
        for name in ["4-3.mora", "4-3.tmp", "notes.tmp", "4-3.morals.tmp", "x.mora.1-0.tmp", ".tmp", "4-3.mora.tmp.gz"]
        {
            assert_eq!(class_of_temporary(name), None, "{name}");
        }
    }
}
